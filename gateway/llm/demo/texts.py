"""The longer texts of the demo: what can be tried, and a long answer in Markdown."""

from dataclasses import dataclass

HELP = """\
Here is what can be tried:

- **remember that my cat is called Luna**, and later **what is my cat called?** It is still known \
after a restart.
- **what do you know about me?** and **forget my cat**
- **todo: buy milk, call Anna**, then **add eggs to my list**, **done: milk**, \
**what is on my list?**
- **remind me in 1 minute to drink some water**
- **calculate 2^64 / 3** runs a Python program, in a sandbox of its own.
- **ask me a question** shows choices; your own words are an answer too.
- **long answer** streams some pages of Markdown.

For a real model, set `provider`, `name` and `api_key` under `model:` in `hermes.yaml`."""


@dataclass(frozen=True, slots=True)
class Planet:
    """What the long answer tells of a planet. Figures: NASA's planetary fact sheet, rounded."""

    name: str
    diameter_km: int
    distance_million_km: float
    day_hours: float
    year_days: float
    moons: int
    character: str
    surprises: tuple[str, ...]


PLANETS = (
    Planet(
        "Mercury", 4_879, 57.9, 4_222.6, 88.0, 0,
        "The smallest planet is also the fastest. Without air to keep the warmth, its surface "
        "swings between 430 °C at noon and −180 °C before dawn.",
        ("A day, from sunrise to sunrise, lasts two of its years.",
         "There is ice in craters whose floors no sunlight has ever reached."),
    ),
    Planet(
        "Venus", 12_104, 108.2, 2_802.0, 224.7, 0,
        "Nearly the Earth's twin in size, and nothing like it otherwise: a thick blanket of "
        "carbon dioxide makes it the hottest planet of all, at about 465 °C, day and night.",
        ("It turns backwards, so the Sun rises in the west.",
         "The pressure at the ground is that of 900 metres of sea water."),
    ),
    Planet(
        "Earth", 12_756, 149.6, 24.0, 365.2, 1,
        "The only place known to have oceans, weather worth talking about, and somebody to talk "
        "about it. Its large moon keeps the axis, and with it the seasons, steady.",
        ("It is the densest planet of the eight.",
         "About 71% of it is under water, though the water is only 0.02% of its mass."),
    ),
    Planet(
        "Mars", 6_792, 228.0, 24.7, 687.0, 2,
        "A cold desert with a familiar day. Dry river beds tell of water long ago, and the "
        "polar caps keep some of it to this day, under a layer of frozen carbon dioxide.",
        ("*Olympus Mons* is about 22 km high, the tallest volcano we know.",
         "Its sunsets are blue."),
    ),
    Planet(
        "Jupiter", 142_984, 778.5, 9.9, 4_331.0, 95,
        "More than twice as heavy as all the other planets together, and the quickest to turn. "
        "The Great Red Spot is a storm wider than the Earth that has been seen since 1831.",
        ("It radiates more heat than it gets from the Sun.",
         "One of its moons, **Europa**, hides an ocean under its ice."),
    ),
    Planet(
        "Saturn", 120_536, 1_432.0, 10.7, 10_747.0, 146,
        "Famous for rings that are 280,000 km across and, in most places, about ten metres thick. "
        "They are made of water ice, from grains to boulders, and may be younger than mammals.",
        ("It is less dense than water.",
         "A storm with six straight sides sits on its north pole."),
    ),
    Planet(
        "Uranus", 51_118, 2_867.0, 17.2, 30_589.0, 28,
        "It rolls around the Sun on its side, so that each pole has 42 years of light and then "
        "42 years of night. Methane in its upper clouds gives it the pale blue-green.",
        ("It was the first planet to be *discovered*: William Herschel saw it in 1781.",
         "Its moons are named after people in Shakespeare and Pope."),
    ),
    Planet(
        "Neptune", 49_528, 4_515.0, 16.1, 59_800.0, 16,
        "The farthest planet was found with a pencil: its pull on Uranus told where to look. "
        "It has the fastest winds in the solar system, up to 2,000 km an hour.",
        ("It has been around the Sun once since it was found in 1846.",
         "Its moon **Triton** goes around it the wrong way, and was probably captured."),
    ),
)  # fmt: skip

CODE = '''\
```python
from math import sqrt

AU_MILLION_KM = 149.6


def year_days(distance_million_km: float) -> float:
    """Kepler's third law, for anything that circles the Sun."""
    distance_au = distance_million_km / AU_MILLION_KM
    return 365.25 * sqrt(distance_au**3)


for name, distance in {"Mars": 228.0, "Neptune": 4515.0}.items():
    print(f"{name:8} {year_days(distance):>9,.0f} days")
```'''

INTRODUCTION = """\
# A short tour of the planets 🪐

You asked for something long, so here is a tour with **headings**, *emphasis*, lists, a table, a \
quotation and a block of code: all that a chat has to show, more than fits into one message.

> Eight worlds, one star, and hardly anything in between."""

HISTORY = """\
## How anybody found out

For most of history there were **five** planets, the ones that move among the stars for everybody \
to see. Each time somebody looked more closely, the picture changed:

1. *Copernicus* put the Sun into the middle, because the loops that planets draw in the sky then \
explain themselves.
2. *Kepler* had twenty years of another man's measurements, and patience. The orbits turned out \
to be ellipses, and the sizes and the speeds to obey one short formula.
3. *Galilei* pointed a telescope at Jupiter and saw four moons that did not care about the Earth.
4. *Newton* showed that the same pull holds the moons, the planets and the apple.
5. *Le Verrier* and *Adams* turned that around: from a planet's wrong position they worked out \
where an unknown one had to be. It took one evening at the telescope to find Neptune.

Since the 1960s we have been to all of them, by machine. `Voyager 2` is the only visitor that \
Uranus and Neptune have ever had.

## What you can see tonight

- With bare eyes: Venus near the Sun, in the evening or in the morning, brighter than any star; \
Jupiter, nearly as bright and steady; Mars, if it is orange; Saturn, if you know where to look.
- With binoculars: the four large moons of Jupiter, in a row like beads. Look again on the next \
evening, and they have changed places.
- With a small telescope: the rings of Saturn. Nobody forgets the first time.

Stars twinkle and planets hardly do: a star is a point, and the air plays with its light, while a \
planet is a small disc whose parts twinkle against each other."""

CLOSING = """\
## What to remember

1. The inner four are rock, the outer four are gas and ice.
2. The farther out, the longer the year:
   - near the Sun, `88` days are enough;
   - at the edge it takes `59,800`.
3. Nearly every planet breaks a rule that the others keep.

That was all of it. A real model would have written something else, and better; this text \
is always the same, so that two runs can be compared. If you can read this line, and \
the code above is still one block, then splitting and streaming work. 🚀"""


def long_answer() -> str:
    """Some pages of Markdown that hold everything that is hard to show."""
    return "\n\n".join(
        [
            INTRODUCTION,
            "## At a glance",
            _table(),
            *map(_section, PLANETS),
            "## Do it yourself",
            "The length of a year follows from the distance alone:",
            CODE,
            HISTORY,
            CLOSING,
        ]
    )


def _table() -> str:
    rows = [
        f"| {p.name} | {p.diameter_km:,} | {p.distance_million_km:,.1f} | {p.moons} |"
        for p in PLANETS
    ]
    head = (
        "| Planet | Diameter (km) | Distance (million km) | Moons in 2024 |\n|---|---:|---:|---:|"
    )
    return "\n".join([head, *rows])


def _section(planet: Planet) -> str:
    surprises = "\n".join(f"- {surprise}" for surprise in planet.surprises)
    return (
        f"## {planet.name}\n\n{planet.character}\n\n"
        f"A day takes {planet.day_hours:,.1f} hours and a year {planet.year_days:,.1f} days. "
        f"Good to know:\n\n{surprises}"
    )
