"""Сколько занимает KV-кеш: два вектора на токен, слой и голову.

Источники: Рэдфорд и др. (2019), таблица 2;
Браун и др. (2020), таблица 2.1.
"""
# %% bytes
KIB, GIB = 1024, 1024**3


def cache_bytes(layers, heads, d_head, bytes_per_number=2):
    """Байты на токен: ключ и значение в каждой голове каждого слоя."""
    return 2 * layers * heads * d_head * bytes_per_number


models = {"GPT-2": (12, 12, 64, 1024), "GPT-3": (96, 96, 128, 2048)}
for name, (layers, heads, d_head, context) in models.items():
    per_token = cache_bytes(layers, heads, d_head)
    print(f"{name}: {per_token / KIB:.0f} КиБ на токен, "
          f"{per_token * context / GIB:.3f} ГиБ на контекст, {context}")
