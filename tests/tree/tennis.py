"""The play-tennis table: fourteen days, four categories, and whether there was a game."""

import pandas as pd

NAMES = ["Outlook", "Temp", "Humidity", "Windy"]
_DAYS = """
Sunny Hot High False No
Sunny Hot High True No
Overcast Hot High False Yes
Rainy Mild High False Yes
Rainy Cool Normal False Yes
Rainy Cool Normal True No
Overcast Cool Normal True Yes
Sunny Mild High False No
Sunny Cool Normal False Yes
Rainy Mild Normal False Yes
Sunny Mild Normal True Yes
Overcast Mild High True Yes
Overcast Hot Normal False Yes
Rainy Mild High True No
"""


def tennis() -> tuple[pd.DataFrame, list[str]]:
    """Return the days as a data frame of text, and the classes."""
    days = [line.split() for line in _DAYS.strip().splitlines()]
    return pd.DataFrame([day[:4] for day in days], columns=NAMES), [day[4] for day in days]
