"""Переводчик с испанского на русский с вниманием Бахданау.

Учится на предложениях нашей собственной грамматики. Модель: Бахданау
и др. (2014), §3 и приложение A, в уменьшенном виде.
"""
# %% grammar
import numpy as np

NOUNS = {"gato": ("m", "кот", "m"), "perro": ("m", "пёс", "m"),
         "abuelo": ("m", "дед", "m"), "pájaro": ("m", "птица", "f"),
         "gata": ("f", "кошка", "f"), "niña": ("f", "девочка", "f"),
         "zorra": ("f", "лиса", "f"), "abeja": ("f", "пчела", "f")}
ADJECTIVES = {"negr": ("чёрный", "чёрная"), "blanc": ("белый", "белая"),
              "viej": ("старый", "старая"), "roj": ("красный", "красная"),
              "buen": ("добрый", "добрая"),
              "pequeñ": ("маленький", "маленькая")}
VERBS = {"durmió": ("спал", "спала"), "cantó": ("пел", "пела"),
         "esperó": ("ждал", "ждала"), "comió": ("ел", "ела"),
         "jugó": ("играл", "играла")}
PLACES = {("el", "jardín"): ("в", "саду"), ("la", "casa"): ("в", "доме"),
          ("el", "bosque"): ("в", "лесу"), ("el", "puente"): ("на", "мосту"),
          ("la", "plaza"): ("на", "площади")}

# %% clause
def clause(noun, adjective, verb, place):
    """Простое предложение и его перевод, слово за словом."""
    gender, translated, its_gender = NOUNS[noun]
    article, ending = ("el", "o") if gender == "m" else ("la", "a")
    form = 0 if its_gender == "m" else 1
    spanish = [article, noun, adjective + ending, verb, "en", *place]
    return spanish, [ADJECTIVES[adjective][form], translated,
                     VERBS[verb][form], *PLACES[place]]


everything = [clause(noun, adjective, verb, place) for noun in NOUNS
              for adjective in ADJECTIVES for verb in VERBS for place in PLACES]
order = np.random.default_rng(0).permutation(len(everything))
held_out = [everything[index] for index in order[:200]]  # их она не увидит
training = [everything[index] for index in order[200:]]
print(len(training), "для обучения,", len(held_out), "отложено")

# %% batch
sources = sorted({word for pair in everything for word in pair[0]} | {"y"})
targets = ["<s>", "</s>", *sorted({word for pair in everything
                                   for word in pair[1]} | {"и"})]


def batch(pairs, rng, size, clauses=1):
    """`size` предложений, в каждом `clauses` простых: индексы слов."""
    X, Y = [], []
    for _ in range(size):
        parts = [pairs[index] for index in rng.integers(0, len(pairs), clauses)]
        spanish = " y ".join(" ".join(part[0]) for part in parts).split()
        russian = " и ".join(" ".join(part[1]) for part in parts).split()
        X.append([sources.index(word) for word in spanish])
        Y.append([targets.index(word) for word in ["<s>", *russian, "</s>"]])
    return np.array(X), np.array(Y)

# %% encoder
import nanotorch as nt

WIDTH, STATE = 24, 32


class Encoder(nt.Module):
    """Читает предложение вперёд и назад; состояние на каждое слово."""

    def __init__(self, rng):
        self.words = nt.Embedding(len(sources), WIDTH, rng)
        self.ahead = nt.GRUCell(WIDTH, STATE, rng)
        self.back = nt.GRUCell(WIDTH, STATE, rng)

    def forward(self, X):
        E, n, zeros = self.words(X), X.shape[1], np.zeros((len(X), STATE))
        ahead, back = [zeros], [zeros]
        for j in range(n):
            ahead.append(self.ahead(E[:, j], ahead[-1]))
            back.append(self.back(E[:, n - 1 - j], back[-1]))
        both = [nt.concatenate([ahead[j + 1], back[n - j]], axis=-1)
                for j in range(n)]
        ends = nt.concatenate([ahead[-1], back[-1]], axis=-1)
        return nt.stack(both, axis=1), ends

# %% decoder
class Translator(nt.Module):
    """Пишет слово за словом. Без внимания видит только два конца."""

    def __init__(self, attends, rng):
        self.attends, self.encoder = attends, Encoder(rng)
        self.words = nt.Embedding(len(targets), WIDTH, rng)
        self.start = nt.Linear(2 * STATE, STATE, rng)
        self.score = nt.AdditiveScore(STATE, 2 * STATE, STATE, rng)
        self.cell = nt.GRUCell(WIDTH + 2 * STATE, STATE, rng)
        self.out = nt.Linear(3 * STATE + WIDTH, len(targets), rng)

    def step(self, word, state, H, ends):
        """Логиты следующего слова, новое состояние и веса."""
        context, weights = ends, None
        if self.attends:
            mixture, weights = nt.attend(self.score, state[:, None], H, H)
            context, weights = mixture[:, 0], weights.numpy()[:, 0]
        E = self.words(word)
        state = self.cell(nt.concatenate([E, context], axis=-1), state)
        seen = nt.concatenate([state, context, E], axis=-1)
        return self.out(seen), state, weights

# %% train
def train(attends, seed, steps, most_clauses=1):
    """Модель, обученная на предложениях из 1…`most_clauses` простых."""
    rng = np.random.default_rng(seed)
    model = Translator(attends, rng)
    optimizer = nt.Adam(model.parameters(), lr=0.005)
    for _ in range(steps):
        clauses = int(rng.integers(1, most_clauses + 1))
        X, Y = batch(training, rng, 32, clauses)
        H, ends = model.encoder(X)
        state, logits = model.start(ends).tanh(), []
        for i in range(Y.shape[1] - 1):
            step, state, _ = model.step(Y[:, i], state, H, ends)
            logits.append(step)
        loss = nt.cross_entropy(nt.stack(logits, axis=1), Y[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model

# %% translate
def translate(model, X, length):
    """Самое вероятное слово на каждом шаге. Возвращает индексы и веса."""
    H, ends = model.encoder(X)
    state, output, maps = model.start(ends).tanh(), [np.zeros(len(X), int)], []
    for _ in range(length):
        logits, state, weights = model.step(output[-1], state, H, ends)
        output.append(logits.numpy().argmax(axis=-1))
        maps.append(weights)
    return np.stack(output, axis=1), maps


def exact(model, clauses=1):
    """Доля переводов без ошибок: 200 раз наугад одно из отложенных."""
    X, Y = batch(held_out, np.random.default_rng(1), 200, clauses)
    output, _ = translate(model, X, Y.shape[1] - 1)
    return float((output == Y).all(axis=1).mean())

# %% models
models = [train(True, seed, steps=100) for seed in range(3)]
accuracies = [exact(model) for model in models]

# %% judge tolerance=0.02
print("без ошибок, по зёрнам:", *accuracies)

# %% sentence
def show(model, spanish):
    """Перевод предложения и карта его весов."""
    X = np.array([[sources.index(word) for word in spanish.split()]])
    output, maps = translate(model, X, length=6)
    return [targets[index] for index in output[0, 1:]], np.array(maps)[:, 0]


for spanish in ("la gata negra durmió en el jardín",
                "el pájaro negro durmió en el puente"):
    translation, _ = show(models[0], spanish)
    print(spanish, "→", *translation)

# %% map
import vis

spanish = "la gata negra durmió en el jardín"
translation, weights = show(models[0], spanish)
vis.attention(spanish.split(), weights, query_tokens=translation,
              title="Выученные веса", decimal=",")
vis.heatmap(weights, xlabels=spanish.split(), ylabels=translation,
            title="Те же веса", decimal=",")

# %% roles tolerance=0.02
X, _ = batch(held_out, np.random.default_rng(1), 200)
# строка на каждое написанное слово, столбец на прочитанное
maps = [np.array(translate(model, X, 6)[1]).mean(axis=1) for model in models]
print("             арт.  сущ. прил. глаг. en   арт. место")
for name, row in zip(("прилаг.", "сущ.", "глагол", "предлог",
                      "место", "конец"), np.mean(maps, axis=0)):
    print(f"{name:11}", *[f"{weight:5.2f}" for weight in row])

# %% by-seed tolerance=0.02
print("когда пишется существительное, по зёрнам:")
for seed, rows in enumerate(maps):
    print(f"  {seed}: сущ. {rows[1, 1]:.2f}, прилаг. {rows[1, 2]:.2f}")
print("когда пишется предлог, по зёрнам:")
for seed, rows in enumerate(maps):
    print(f"  {seed}: en {rows[3, 4]:.2f}, арт. {rows[3, 5]:.2f}, "
          f"место {rows[3, 6]:.2f}")

# %% gender
def sentences(word):
    """Все предложения с этим словом, в индексах."""
    return np.array([[sources.index(each) for each in pair[0]]
                     for pair in everything if word in pair[0]])


def seeing_one(model, start, read, step, place):
    """Слово, которое идёт после `step` других, если видно одно состояние.

    Первые слова пишутся, пока предложения `start` видны целиком; это —
    только по состоянию `place` предложений `read`.
    """
    H, ends = model.encoder(start)
    state, word = model.start(ends).tanh(), np.zeros(len(start), int)
    for _ in range(step):
        logits, state, _ = model.step(word, state, H, ends)
        word = logits.numpy().argmax(axis=-1)
    only = model.encoder(read)[0][:, place:place + 1]
    logits, _, _ = model.step(word, state, only, ends)
    return [targets[index] for index in logits.numpy().argmax(axis=-1)]


def cross(two, step, place, ending):
    """По моделям: доля слов с таким концом в четырёх скрещиваниях."""
    two = [sentences(word) for word in two]
    return [[float(np.mean([word.endswith(ending) for word in
                            seeing_one(model, start, read, step, place)]))
             for read in two for start in two] for model in models]


crossed = cross(("pájaro", "gato"), step=0, place=2, ending="ая")

# %% gender-table tolerance=0.02
print("начало:   ", "pájaro   gato pájaro   gato")
print("прилаг.:  ", "pájaro pájaro   gato   gato")
for seed, shares in enumerate(crossed):
    print(f"зерно {seed}:  ", *[f"{share:6.2f}" for share in shares])

# %% preposition
on_or_in = cross(("puente", "jardín"), step=3, place=4, ending="на")

# %% preposition-table tolerance=0.02
print("начало:   ", "puente jardín puente jardín")
print("en:       ", "puente puente jardín jardín")
for seed, shares in enumerate(on_or_in):
    print(f"зерно {seed}:  ", *[f"{share:6.2f}" for share in shares])

# %% readout
def states_of_en(model, pairs):
    """Состояние en в каждом предложении и 1 для свободного члена."""
    X = np.array([[sources.index(word) for word in pair[0]] for pair in pairs])
    H = model.encoder(X)[0].numpy()[:, 4]
    return np.hstack([H, np.ones((len(H), 1))])


def signs(pairs):
    """1, где нужно «на», и −1, где нужно «в»."""
    return np.array([1 if pair[1][3] == "на" else -1 for pair in pairs])


readable = []
for model in models:
    w = np.linalg.lstsq(states_of_en(model, training), signs(training),
                        rcond=None)[0]
    sums = states_of_en(model, held_out) @ w
    readable.append(float(np.mean(np.sign(sums) == signs(held_out))))

# %% readout-table tolerance=0.02
for seed, share in enumerate(readable):
    print(f"зерно {seed}: сумма права в {share:.2f} отложенных")

# %% without
results = {}
for attends in (True, False):
    model = train(attends, 0, steps=160, most_clauses=2)
    results[attends] = [exact(model, clauses) for clauses in (1, 2, 3)]

# %% without-table tolerance=0.02
print("предложений ", *(1, 2, 3), sep="     ")
for attends, name in ((True, "с вниманием"), (False, "без внимания")):
    print(f"{name}:", *[f"{share:5.2f}" for share in results[attends]])
