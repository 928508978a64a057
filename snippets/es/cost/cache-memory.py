"""Lo que ocupa la caché KV: dos vectores por token, capa y cabeza.

Fuentes: Radford et al. (2019), tabla 2; Brown et al. (2020), tabla 2.1.
"""
# %% bytes
KIB, GIB = 1024, 1024**3


def cache_bytes(layers, heads, d_head, bytes_per_number=2):
    """Bytes por token: clave y valor en cada cabeza de cada capa."""
    return 2 * layers * heads * d_head * bytes_per_number


models = {"GPT-2": (12, 12, 64, 1024), "GPT-3": (96, 96, 128, 2048)}
for name, (layers, heads, d_head, context) in models.items():
    per_token = cache_bytes(layers, heads, d_head)
    print(f"{name}: {per_token / KIB:.0f} KiB por token, "
          f"{per_token * context / GIB:.3f} GiB con {context} tokens")
