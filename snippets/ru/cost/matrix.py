"""Память матрицы весов одной головы, по 2 байта на число."""
# %% size
KIB, MIB, GIB = 1024, 1024**2, 1024**3


def matrix_bytes(n, bytes_per_number=2):
    """Байты матрицы n × n."""
    return n * n * bytes_per_number


for n in (512, 1024, 4096, 32_768, 131_072):
    print(f"токенов {n:6d}: {matrix_bytes(n) / MIB:8.1f} МиБ")
