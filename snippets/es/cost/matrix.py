"""Memoria de la matriz de pesos de una cabeza, con 2 bytes por número."""
# %% size
KIB, MIB, GIB = 1024, 1024**2, 1024**3


def matrix_bytes(n, bytes_per_number=2):
    """Bytes de una matriz de n × n."""
    return n * n * bytes_per_number


for n in (512, 1024, 4096, 32_768, 131_072):
    print(f"{n:6d} tokens: {matrix_bytes(n) / MIB:8.1f} MiB")
