"""Un diccionario de Python responde a la clave exacta o no responde."""
# %% exact raises=KeyError
celsius = {"frutas": 8, "bayas": 2, "autos": 15, "bicicletas": 15}
print(celsius["bayas"])
print(celsius["arándanos"])
