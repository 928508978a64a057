"""Attention of pretrained encoders, computed once so that lessons can show it: see ../real_attention.py."""
