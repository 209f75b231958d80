"""The PWU paper's data sets, and bundled ones, behind one function.

Implements the data of appendices J.1 and K of the PWU paper.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn import datasets as bundled

__all__ = ["Dataset", "digest", "event", "find", "load", "names"]

UCI = "CC BY 4.0, UCI Machine Learning Repository"
BSD = "bundled with scikit-learn (BSD-3), origin UCI Machine Learning Repository"


class Dataset(NamedTuple):
    """A table to learn from.

    Attributes
    ----------
    X : DataFrame, shape (n, p)
        Features; NaN where a value is missing, text where it is a category.
    y : ndarray, shape (n,) or (n, D)
        0/1, class numbers from 0 on, or targets in `unit`.
    name, task, target, unit, licence, citation : str
        `task` is "binary", "regression", "multiclass" or "multivariate".
    """

    X: pd.DataFrame
    y: np.ndarray
    name: str
    task: str
    target: str
    unit: str
    licence: str
    citation: str


@dataclass(frozen=True)
class _Source:
    """Where a table lies, how it is read, and what it must be. Targets are its last columns."""

    task: str
    target: str
    unit: str
    citation: str
    sha256: str | tuple[int, int, int]  # of features and targets, see `digest`; or rows, features, classes or outputs
    read: Callable[..., pd.DataFrame]  # of a path, or of nothing for a bundled set
    tidy: Callable[[pd.DataFrame], tuple[pd.DataFrame, Any]]
    files: tuple[str, ...] = ()  # below PWU_LITE_DATA or the cache
    uci: int = 0
    licence: str = UCI


def names(task: str | None = None) -> list[str]:
    """Names of the data sets that `load` knows, of one task or of all.

    Parameters
    ----------
    task : {"binary", "regression", "multiclass", "multivariate"}, optional
        All tasks if omitted.

    Examples
    --------
    >>> names("binary")
    ['bank', 'heart', 'ionosphere', 'mushroom', 'sonar', 'breast_cancer']
    """
    tasks = {source.task for source in _SOURCES.values()}
    if task is not None and task not in tasks:
        raise ValueError(f"task must be one of {', '.join(sorted(tasks))}, got {task!r}")
    return [name for name, source in _SOURCES.items() if task in (None, source.task)]


def load(name: str) -> Dataset:
    """One data set: from PWU_LITE_DATA, else the user's cache, else the UCI repository.

    Raw files lie in folders named like the data set. Whatever the way, the table is checked
    against a SHA-256 of its values (see `digest`), so a file that was cut or altered is refused;
    of "covertype" and "sgemm", which the book's own runs do not use, only the size is checked.

    Parameters
    ----------
    name : str
        One of `names`.

    Raises
    ------
    ValueError
        No such data set, or its values are not the expected ones.
    FileNotFoundError
        It is nowhere; the message names the three ways to get it.

    References
    ----------
    PWU paper, appendix J.1 and appendix K.

    Examples
    --------
    >>> data = load("breast_cancer")
    >>> data.X.shape, int(data.y.sum()), data.target
    ((569, 30), 212, 'malignant')
    """
    if not isinstance(name, str) or name not in _SOURCES:
        raise ValueError(f"there is no data set {name!r}; there are {', '.join(_SOURCES)}")
    source = _SOURCES[name]
    frame, place = _frame(name, source)
    X, y = source.tidy(frame)
    X, y = X.reset_index(drop=True), np.asarray(y)
    X.columns = [label if isinstance(label, str) else f"x{label}" for label in X.columns]
    _check(name, source, place, X, y)
    return Dataset(X, y, name, source.task, source.target, source.unit, source.licence, source.citation)


def _check(name, source, place, X, y):
    """Refuse another table than the one that was meant."""
    if isinstance(source.sha256, tuple):  # never seen by this edition: its size, no more
        size = (*X.shape, y.shape[1] if y.ndim == 2 else len(np.unique(y)))
        if size != source.sha256:
            raise ValueError(f"{name} from {place} has {size} rows, features, and classes or outputs, expected "
                             f"{source.sha256}: the file was cut or altered; replace or remove it")
        return
    found = digest(X, y)
    if found != source.sha256:
        raise ValueError(f"{name} from {place} is not the table that this book was made with "
                         f"({len(X)} rows, SHA-256 {found[:12]}, expected {source.sha256[:12]}): "
                         f"the file was cut or altered, or it is another edition; replace or remove it")


def event(name: str) -> tuple[str, float]:
    """Which class of a data set with two outcomes is the event, in words, and its share of the cases.

    Needs no file: the share is stored, and `load` is tested against it. The classes of the paper's data sets are those
    that its released preprocessing codes as 1.

    Parameters
    ----------
    name : str
        One of ``names("binary")``.

    Raises
    ------
    ValueError
        There is no such data set with two outcomes.

    Examples
    --------
    >>> words, share = event("ionosphere")
    >>> words, round(share, 2)
    ('a bad radar return', 0.36)
    """
    if name not in names("binary"):
        raise ValueError(f"name must be one of {', '.join(names('binary'))}, got {name!r}")
    events, cases = _EVENTS[name]
    return _SOURCES[name].target, events / cases


def digest(X: pd.DataFrame, y: np.ndarray) -> str:
    """SHA-256 of the values of a table with nine significant digits, whatever file they came from.

    Parameters
    ----------
    X : DataFrame, shape (n, p)
        Features.
    y : ndarray, shape (n,) or (n, D)
        Labels or targets.

    Examples
    --------
    >>> digest(pd.DataFrame({"a": [1.0, 2.0]}), np.array([0, 1]))[:8]
    '02558994'
    """
    columns = [X.iloc[:, place] for place in range(X.shape[1])] + list(np.atleast_2d(np.asarray(y).T))
    table = pd.DataFrame({place: _plain(column) for place, column in enumerate(columns)})
    text = table.to_csv(index=False, header=False, float_format="%.9g", lineterminator="\n")
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(column):
    """Numbers as floats, everything else as text."""
    values = pd.Series(np.asarray(column))
    return values.astype(float) if pd.api.types.is_numeric_dtype(values) else values.astype(object)


def _frame(name, source):
    """The raw table and where it was found."""
    if not source.files:
        return source.read(), "scikit-learn"
    for folder in _folders():
        paths = [folder / file for file in source.files]
        if all(path.exists() for path in paths):
            return pd.concat([source.read(path) for path in paths], ignore_index=True), str(folder)
    return _fetch(name, source), "the UCI repository"


def _folders():
    """PWU_LITE_DATA, if set, then the user's cache."""
    given = os.environ.get("PWU_LITE_DATA")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pwu_lite"
    return [*([Path(given)] if given else []), cache]


def _fetch(name, source):
    """Features and targets from the UCI repository, kept in the cache for the next time."""
    kept = _folders()[-1] / f"{name}.csv.gz"
    if kept.exists():
        return pd.read_csv(kept)
    try:
        from ucimlrepo import fetch_ucirepo

        data = fetch_ucirepo(id=source.uci).data
    except Exception as reason:  # no package, no network, no such table: the reader can do the same three things
        raise FileNotFoundError(
            f"{name} was not found. Either set PWU_LITE_DATA to the absolute path of a folder that holds "
            f"{', '.join(source.files)}; or put that below {_folders()[-1]}; or, with a network, "
            f"pip install 'pwu_book[data]' to fetch it from the UCI repository (number {source.uci}; "
            f"{source.licence}). The attempt just made: {type(reason).__name__}: {reason}") from reason
    frame = pd.concat([data.features, data.targets], axis=1)
    kept.parent.mkdir(parents=True, exist_ok=True)
    part = kept.with_suffix(f".{os.getpid()}.part")
    frame.to_csv(part, index=False, compression="gzip")
    part.replace(kept)  # whole or not at all
    return frame


def find(file: str, source: str, licence: str) -> Path:
    """A raw file below PWU_LITE_DATA or the user's cache.

    Parameters
    ----------
    file : str
        As in ``"wind_gb/case1.csv"``.
    source, licence : str
        Where to get it, and under which terms: words for the message.

    Raises
    ------
    FileNotFoundError
        It is in neither place; the message says what to do.
    """
    for folder in _folders():
        if (folder / file).is_file():
            return folder / file
    raise FileNotFoundError(
        f"{file} was not found. Get it from {source} ({licence}) and either set PWU_LITE_DATA to the absolute path "
        f"of the folder that holds {file}, or put it below {_folders()[-1]}. Without it, load \"simulated\".")


def _csv(**options):
    return lambda path: pd.read_csv(path, **options)


def _excel(**options):
    return lambda path: pd.read_excel(path, **options)


def _targets_last(read, *places):
    """A reader that moves the columns at these places to the end."""
    def moved(path):
        frame = read(path)
        rest = [place for place in range(frame.shape[1]) if place not in places]
        return frame.iloc[:, [*rest, *places]]
    return moved


def _event(*labels):
    """The last column is 1 where it has one of these values."""
    return lambda frame: (frame.iloc[:, :-1], frame.iloc[:, -1].isin(labels).astype(int))


def _classes(frame):
    """The last column as numbers of its sorted values."""
    return frame.iloc[:, :-1], np.unique(frame.iloc[:, -1], return_inverse=True)[1]


def _number(frame):
    return frame.iloc[:, :-1], frame.iloc[:, -1].to_numpy(float)


def _numbers(outputs):
    return lambda frame: (frame.iloc[:, :-outputs], frame.iloc[:, -outputs:].to_numpy(float))


def _heart(frame):
    return frame.iloc[:, :-1].astype(float), (frame.iloc[:, -1] > 0).astype(int)


def _air(*targets):
    """-200 stands for missing; rows without a target are left out."""
    def tidy(frame):
        clean = frame.mask(frame == -200).dropna(subset=[frame.columns[place] for place in targets])
        y = clean.iloc[:, list(targets)].to_numpy(float)
        X = clean.drop(columns=[clean.columns[place] for place in targets])
        return X.set_axis(X.columns.astype(str), axis=1), y[:, 0] if len(targets) == 1 else y
    return tidy


def _parkinsons(frame):
    """Without the number of the person."""
    return frame.iloc[:, 1:-2], frame.iloc[:, -2:].to_numpy(float)


def _air_released(frame):
    """Three targets; what is missing in the features is the mean of the column, over all rows."""
    X, y = _air(0, 5, 7)(frame)
    return X.fillna(X.mean()), y


def _parkinsons_released(frame):
    """The voice alone: without the person, age, sex and time."""
    return frame.iloc[:, 4:-2], frame.iloc[:, -2:].to_numpy(float)


def _flare_released(frame):
    """Text as the place of its value in the alphabet."""
    X, y = _numbers(3)(frame)
    return X.apply(lambda column: column if pd.api.types.is_numeric_dtype(column)
                   else np.unique(column, return_inverse=True)[1]), y


def _bundle(loader, outputs=1):
    def read():
        X, y = loader(return_X_y=True, as_frame=True)
        return pd.concat([X, pd.DataFrame(y)], axis=1)
    return read


_EVENTS = {"bank": (5289, 45211), "heart": (139, 303), "ionosphere": (126, 351), "mushroom": (3916, 8124),
           "sonar": (111, 208), "breast_cancer": (212, 569)}
_SOURCES = {
    "bank": _Source(
        "binary", "subscribes a term deposit", "", "Moro, Rita and Cortez (2014), Bank Marketing",
        "3645aad53d58bf93c204f5be47a6c4fddb212cb67ba618627ca32877270f8a43",
        _csv(sep=";"), _event("yes"), ("bank_marketing/bank-full.csv",), 222),
    "heart": _Source(
        "binary", "a narrowed vessel (Cleveland)", "", "Janosi, Steinbrunn and others (1988), Heart Disease",
        "4653a726266b22d17f11910f6c6d3aa7ceab94744b9556adb76d31ce5e9d22a8",
        _csv(header=None, na_values="?"), _heart, ("heart_disease/processed.cleveland.data",), 45),
    "ionosphere": _Source(
        "binary", "a bad radar return", "", "Sigillito, Wing, Hutton and Baker (1989), Ionosphere",
        "2a1ff3e7b4fe49ccc3b5f590e03f8b1b08096894dd5cad02b659bbd7d1646188",
        _csv(header=None), _event("b"), ("ionosphere/ionosphere.csv",), 52),
    "mushroom": _Source(
        "binary", "poisonous", "", "Schlimmer (1981), Mushroom",
        "cc8eb9173e43f6eaf1c81133fbdf341d2f2e799b782f9187bb9c89a6f230bd7a",
        _targets_last(_csv(keep_default_na=False, na_values="?"), 0), _event("p"), ("mushroom/mushrooms.csv",), 73),
    "sonar": _Source(
        "binary", "a mine, not a rock", "", "Sejnowski and Gorman (1988), Connectionist Bench (Sonar)",
        "3612d86688d6a8ae6054e939fe11587e5ec295743a2915109677e3e2ab32b4e4",
        _csv(header=None), _event("M"), ("sonar/sonar.csv",), 151),
    "air_quality": _Source(
        "regression", "carbon monoxide", "mg/m3", "Vito (2008), Air Quality",
        "5a63786ec9ac9716105742aa372fa8fb2f3882f88d4ed1df6bbb61e41890eb91",
        _excel(header=None), _air(0), ("air_quality/AirQualityUCI.xlsx",), 360),
    "auto_mpg": _Source(
        "regression", "fuel economy", "miles per gallon", "Quinlan (1993), Auto MPG",
        "a340ff7be05d6abefd0509096604d43048d33ec61ff62a748934d469c09f97d8",
        _targets_last(_csv(sep=r"\s+", header=None, na_values="?", usecols=range(8)), 0), _number,
        ("auto_mpg/auto-mpg.data",), 9),
    "energy": _Source(
        "regression", "heating load", "kWh/m2", "Tsanas and Xifara (2012), Energy Efficiency",
        "f6fe57a026ce251f8cecfdbc14190382e28c3b12f27fbf8fdab77cab2646496a",
        _excel(usecols=range(9)), _number, ("energy_efficiency/ENB2012_data.xlsx",), 242),
    "power_plant": _Source(
        "regression", "electrical output", "MW", "Tufekci and Kaya (2014), Combined Cycle Power Plant",
        "1771b67d90a3191b2ca7b5f6eac58162f51716a982437de7a550a38ba60e9943",
        _excel(sheet_name="Sheet1"), _number, ("power_plant/Folds5x2_pp.xlsx",), 294),
    "wine_quality": _Source(
        "regression", "quality, red and white", "points of 10", "Cortez and others (2009), Wine Quality",
        "6e2eae542904c54ae6f03b4a59458d24a164ac725e70982294cd6a6bbfb39e34",
        _csv(header=None), _number,
        ("wine_quality/winequality-red.csv", "wine_quality/winequality-white.csv"), 186),
    "dry_bean": _Source(
        "multiclass", "kind of bean", "", "Koklu and Ozkan (2020), Dry Bean",
        "56ca422c78372ce8aea53d9509afabec4c8ecc9f7f9601b5b25112bd13ad990b",
        _csv(), _classes, ("dry_bean/Dry_Bean_Dataset.csv",), 602),
    "iris": _Source(
        "multiclass", "kind of iris", "", "Fisher (1936), Iris",
        "70cb7187e17079103f494c35cf6306ba480d9ac7128299eca1cf339a4225a843",
        _csv(header=None), _classes, ("iris/iris.data",), 53),
    "pen_digits": _Source(
        "multiclass", "digit", "", "Alpaydin and Alimoglu (1998), Pen-Based Recognition of Handwritten Digits",
        "a5fc4b29494f1ffb094ba6b1bc2fe7028db03d58b12d3ec1436d13204585b7e0",
        _csv(), _classes, ("pen_digits/pendigits.csv",), 81),
    "wine": _Source(
        "multiclass", "cultivar", "", "Aeberhard and Forina (1992), Wine",
        "c4003e57a6c3e6f838465a74b24b77d1ed95d529f80870f75cd8c01d1ea80354",
        _csv(header=None), _classes, ("wine/wine.csv",), 109),
    "covertype": _Source(
        "multiclass", "kind of forest", "", "Blackard (1998), Covertype", (581012, 54, 7),
        _csv(header=None), _classes, ("covertype/covtype.data",), 31),
    "air_quality_many": _Source(
        "multivariate", "carbon monoxide, benzene, nitrogen oxides, nitrogen dioxide", "mg/m3, ug/m3, ppb, ug/m3",
        "Vito (2008), Air Quality", "df3a0f0a6a836ba82030a48efaf92d70334225a561f9d7dea1a2f2735ea7d28e",
        _excel(header=None), _air(0, 3, 5, 7), ("air_quality/AirQualityUCI.xlsx",), 360),
    "energy_many": _Source(
        "multivariate", "heating and cooling load", "kWh/m2", "Tsanas and Xifara (2012), Energy Efficiency",
        "a53352d75e118017be8b0bbd725b7b8318d9c483d173ddf12b8756471ffeb35b",
        _excel(), _numbers(2), ("energy_efficiency/ENB2012_data.xlsx",), 242),
    "solar_flare": _Source(
        "multivariate", "flares of class C, M and X in 24 hours", "flares", "Bradshaw (1989), Solar Flare",
        "8f4b4745cdf97c13c6e1071f9eb866a27dbe74f574f5c9440057124efe88999b",
        _csv(sep=" "), _numbers(3), ("solar_flare/flare.data2",), 89),
    "parkinsons": _Source(
        "multivariate", "motor and total score", "UPDRS points", "Tsanas and Little (2009), Parkinsons Telemonitoring",
        "c82c1cd34fe74d9a49052817ef0b9ccf7000162236841779d161d883b0c50b3c",
        _targets_last(_csv(), 4, 5), _parkinsons, ("parkinsons/parkinsons_updrs.data",), 189),
    "air_quality_released": _Source(
        "multivariate", "carbon monoxide, nitrogen oxides, nitrogen dioxide", "mg/m3, ppb, ug/m3",
        "Vito (2008), Air Quality", "71eb164a2ca234d1e19897e1be8bd37b13479c097d9593be1bd73d7953d8ce10",
        _excel(header=None), _air_released, ("air_quality/AirQualityUCI.xlsx",), 360),
    "solar_flare_released": _Source(
        "multivariate", "flares of class C, M and X in 24 hours", "flares", "Bradshaw (1989), Solar Flare",
        "5b2ddfe9555f09394be71dbcc4cc1f9b311cdfdd4caa2c9933d85826745d3827",
        _csv(sep=" "), _flare_released, ("solar_flare/flare.data2",), 89),
    "parkinsons_released": _Source(
        "multivariate", "motor and total score", "UPDRS points", "Tsanas and Little (2009), Parkinsons Telemonitoring",
        "922ddec557d315284985f0af0ab0493660e0e7b720edfd18f16af1ad7f2a2a96",
        _targets_last(_csv(), 4, 5), _parkinsons_released, ("parkinsons/parkinsons_updrs.data",), 189),
    "sgemm": _Source(
        "multivariate", "four runs of a matrix product", "ms, ms, ms, ms",
        "Paredes and Ballester-Ripoll (2018), SGEMM GPU kernel performance", (241600, 14, 4),
        _csv(), _numbers(4), ("sgemm/sgemm_product.csv",), 440),
    "breast_cancer": _Source(
        "binary", "malignant", "", "Wolberg, Street and Mangasarian (1993), Breast Cancer Wisconsin (Diagnostic)",
        "1ffc63bdd1de445d2223d894f23dd0a924c60f577ec141cec657d007f4661373",
        _bundle(bundled.load_breast_cancer), _event(0), licence=BSD),
    "diabetes": _Source(
        "regression", "progression after a year", "points", "Efron, Hastie, Johnstone and Tibshirani (2004)",
        "f1f04273e66f386afb5ca53725bcb5a47bb0740926a4aa4152c78ad71e50dcc1",
        _bundle(bundled.load_diabetes), _number, licence="bundled with scikit-learn (BSD-3)"),
    "digits": _Source(
        "multiclass", "digit", "", "Alpaydin and Kaynak (1998), Optical Recognition of Handwritten Digits",
        "6ebb3d2fee246a4e99363262ddf8a00a3c41bee6014c373ed9d9216ba7f651b8",
        _bundle(bundled.load_digits), _classes, licence=BSD),
    "linnerud": _Source(
        "multivariate", "weight, waist, pulse", "pounds, inches, beats per minute", "Tenenhaus (1998), Linnerud",
        "88397ed6f17ac21ca3740509fb31c292c35ce25df1177309678d294826115a25",
        _bundle(bundled.load_linnerud), _numbers(3), licence="bundled with scikit-learn (BSD-3)"),
}
