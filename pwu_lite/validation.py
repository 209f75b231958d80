"""What a caller passes becomes clean float arrays, or a ValueError that says where it is wrong.

Implements no source: what every function of the package asks of its arguments.
"""

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["check_binary", "check_class_probabilities", "check_gaussian", "check_multiclass", "check_multivariate",
           "check_multivariate_gaussian", "check_probabilities", "check_ranking", "check_regression", "check_thetas",
           "check_weight", "relative_weight", "same_order", "vector"]

LARGEST = 1e140  # its square, and the square of its inverse, are still numbers
_FAR = f"is more than {LARGEST:g} standard deviations away from its mean (wrong unit of std?)"
_RESCALE = f"is too large or too small to square ({LARGEST:g}); change the unit of y"


def vector(name: str, values: Any) -> np.ndarray:
    """Read one argument as a one-dimensional array of finite floats.

    Returns
    -------
    ndarray of float, shape (n,)

    Raises
    ------
    ValueError
        Not numeric, not one-dimensional, empty, masked, NaN or infinite.

    Examples
    --------
    >>> vector("y_prob", [[0.2], [0.7]]).tolist()
    [0.2, 0.7]
    """
    array = as_float(name, values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        both = name == "y_prob" and array.shape[1:] == (2,)
        raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}"
                         f"{'; for class probabilities pass the second column, [:, 1]' if both else ''}")
    if array.size == 0:
        raise ValueError(f"{name} is empty")
    reject(name, array, ~np.isfinite(array), "must be finite")
    return array


def same_order(**given: Any) -> None:
    """Refuse pandas objects that carry the same index labels in different orders: position and label contradict.

    Objects with other labels, and everything without an index, are read by position.

    Examples
    --------
    >>> same_order(y_true=[1, 0], y_prob=[0.9, 0.2])
    """
    known: list[tuple[str, Any]] = []
    pandas = sys.modules.get("pandas")  # who passes its objects has imported it
    for name, values in given.items():
        index = getattr(values, "index", None)  # a list has a method of this name, xarray's coordinate may be called so
        if pandas is None or not isinstance(index, pandas.Index):
            continue
        for other, labels in known:
            if len(index) != len(labels) or index.nlevels != labels.nlevels or index.equals(labels):
                continue
            one, two = (["missing" if label != label else label for label in ends.tolist()] for ends in (labels, index))
            if one != two and Counter(one) == Counter(two):
                at, *pair = next((place, *pair) for place, pair in enumerate(zip(one, two, strict=True))
                                 if pair[0] != pair[1])
                way = "" if labels.has_duplicates else f"align them, {name}.loc[{other}.index], or "
                raise ValueError(f"{other} and {name} have the same index labels in different orders, at position {at} "
                                 f"{pair[0]!r} and {pair[1]!r}: {way}pass .to_numpy() of both to go by position")
        known.append((name, index))


def same_order_of_models(forecasts: Mapping[str, tuple[Any, ...]], **given: Any) -> None:
    """Refuse index labels in different orders, of anything given or of any part of a model's forecast.

    Examples
    --------
    >>> same_order_of_models({"a": ([0.9, 0.2],)}, y_true=[1, 0])
    """
    parts = {f"forecast of {name}" + (f", part {k}" if len(forecast) > 1 else ""): part
             for name, forecast in forecasts.items() for k, part in enumerate(forecast)}
    same_order(**given, **parts)


def columns_in_order(name: str, table: Any) -> None:
    """Refuse a table whose columns are called 0 to K-1 in another order: they are read by position.

    Examples
    --------
    >>> columns_in_order("y_prob", [[0.9, 0.1]])
    """
    called = list(getattr(table, "columns", ()))
    try:
        numbers = [float(column) for column in called]
    except (TypeError, ValueError):
        return
    if sorted(numbers) == list(range(len(numbers))) and numbers != sorted(numbers):
        raise ValueError(f"the columns of {name} are called {', '.join(map(str, called))}, and are read by position: "
                         f"put them in order, {name}[sorted({name}.columns)], or pass .to_numpy()")


def group_labels(groups: Any, n: int) -> np.ndarray:
    """Read one label for each case, shape (n,): numbers, dates or text, as they are; objects by their text.

    Raises
    ------
    ValueError
        Not one label per case, or a label that is missing or masked.

    Examples
    --------
    >>> group_labels(["b", "a", "b"], 3).tolist(), group_labels(np.array([1, "1", 2], object), 3).tolist()
    (['b', 'a', 'b'], ['1', '1', '2'])
    """
    labels = as_labels("groups", groups)
    if labels.ndim != 1 or labels.size != n:
        raise ValueError(f"groups must have one label per case ({n} cases), got shape {labels.shape}")
    return np.array(list(map(str, labels))) if labels.dtype == object else labels


def as_labels(name: str, values: Any) -> np.ndarray:
    """Read labels of any kind and shape; one that is missing or masked is refused.

    Examples
    --------
    >>> as_labels("y_true", ["ill", "well"]).tolist()
    ['ill', 'well']
    """
    if has_a_mask(values):
        raise ValueError(f"{name} has masked entries: each case needs a label")
    try:
        labels = np.asarray(values)
    except Exception as error:  # whatever its __array__ raises
        raise ValueError(f"{name} must be labels that numpy can read: {error}") from None
    from pandas import isna

    as_given = np.asarray(values, dtype=object) if labels.dtype.kind == "U" else labels  # before numpy writes "nan"
    missing = np.flatnonzero(isna(as_given))
    if missing.size:
        raise ValueError(f"{name}[{missing[0]}] is missing: each case needs a label")
    return labels


def check_binary(y_true: ArrayLike, y_prob: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Read labels in {0, 1} and probabilities in [0, 1], both of shape (n,).

    Returns
    -------
    y_true, y_prob : ndarray
        The labels as booleans, the probabilities as floats.

    Raises
    ------
    ValueError
        Naming the argument, the first bad index and the value.

    Examples
    --------
    >>> labels, probabilities = check_binary([1, 0], [0.8, 0.3])
    >>> labels.tolist()
    [True, False]
    """
    same_order(y_true=y_true, y_prob=y_prob)
    y = vector("y_true", y_true)
    labels = y == 1
    hint = "must be 0 or 1 (arguments swapped? y_true comes first)"
    if set(np.unique(y)) <= {-1.0, 1.0}:
        hint = "must be 0 or 1 (for labels -1 and 1 pass y_true == 1)"
    reject("y_true", y, ~(labels | (y == 0)), hint)
    f = check_probabilities(y_prob)
    same_length("y_true", y, "y_prob", f)
    return labels, f


def check_regression(y_true: ArrayLike, mean: ArrayLike, std: ArrayLike) -> tuple[np.ndarray, ...]:
    """Read targets, predictive means and predictive standard deviations, each (n,).

    Raises
    ------
    ValueError
        Naming the argument, the first bad index and the value.

    Examples
    --------
    >>> y, mean, std = check_regression([1, 2], [1.1, 1.8], [0.5, 0.5])
    >>> std.tolist()
    [0.5, 0.5]
    """
    same_order(y_true=y_true, mean=mean, std=std)
    y = vector("y_true", y_true)
    reject("y_true", y, np.abs(y) > LARGEST, _RESCALE)
    m, s = check_gaussian(mean, std)
    same_length("y_true", y, "mean", m)
    reject("y_true", y, np.abs(y - m) / s > LARGEST, _FAR)
    return y, m, s


def check_ranking(error: ArrayLike, uncertainty: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Read errors and uncertainties, both of shape (n,).

    Examples
    --------
    >>> check_ranking([1, 0.5], [2, 1])[0].tolist()
    [1.0, 0.5]
    """
    same_order(error=error, uncertainty=uncertainty)
    e, u = vector("error", error), vector("uncertainty", uncertainty)
    reject("error", e, np.abs(e) > LARGEST, "is too large; change its unit")
    same_length("error", e, "uncertainty", u)
    return e, u


def check_multiclass(y_true: ArrayLike, y_prob: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Read labels in 0..K-1, shape (n,), and rows of K class probabilities, shape (n, K).

    Each row must sum to 1 within 1e-6.

    Examples
    --------
    >>> check_multiclass([2, 0], [[0.1, 0.2, 0.7], [1, 0, 0]])[0].tolist()
    [2, 0]
    """
    same_order(y_true=y_true, y_prob=y_prob)
    f = check_class_probabilities(y_prob)
    texts = np.asarray(y_true) if not has_a_mask(y_true) else np.empty(0)
    if texts.dtype.kind in "US" or texts.dtype.kind == "O" and any(isinstance(value, str) for value in texts.flat):
        raise ValueError(f"y_true must hold class numbers from 0 to {f.shape[1] - 1}, in the order of the columns of "
                         f"y_prob, got the class name {str(texts.flat[0])!r}: pass list(classes).index(name) of each, "
                         f"or name the classes, CostMatrix(DataFrame)")
    y = vector("y_true", y_true)
    same_length("y_true", y, "y_prob", f[:, 0])
    classes = f.shape[1]
    reject("y_true", y, (y != np.floor(y)) | (y < 0) | (y >= classes),
            f"must be a class from 0 to {classes - 1} (y_prob has {classes} columns)")
    return y.astype(int), f


def check_class_probabilities(y_prob: ArrayLike) -> np.ndarray:
    """Read rows of K class probabilities, shape (n, K), each summing to 1 within 1e-6.

    A row of single or half precision may miss 1 by the rounding of K numbers; it is divided by its sum then.

    Examples
    --------
    >>> check_class_probabilities([[0.1, 0.9]]).shape
    (1, 2)
    """
    columns_in_order("y_prob", y_prob)
    f = as_float("y_prob", y_prob)
    if f.ndim != 2 or f.shape[1] < 2:
        raise ValueError(f"y_prob must be a matrix, one row per case and one column per class, got shape {f.shape}")
    if not len(f):
        raise ValueError("y_prob is empty")
    reject("y_prob", f, ~((f >= 0) & (f <= 1)), "must lie in [0, 1]")
    total = f.sum(axis=1)
    kind = np.asarray(y_prob).dtype
    rounding = f.shape[1] * float(np.finfo(kind).eps) if kind.kind == "f" and kind.itemsize < 8 else 0.0
    off = np.abs(total - 1) > 1e-6
    wrong = np.flatnonzero(np.abs(total - 1) > max(1e-6, rounding))
    if wrong.size:
        raise ValueError(f"each row of y_prob must sum to 1: row {wrong[0]} sums to {float(total[wrong[0]])!r}; if "
                         f"that is rounding, divide each row by its sum")
    return np.where(off[:, None], f / total[:, None], f)  # row by row: a case does not depend on others in its batch


def check_multivariate(y_true: ArrayLike, mean: ArrayLike, cov: ArrayLike) -> tuple[np.ndarray, ...]:
    """Read targets and means, shape (n, D), and positive definite covariances, shape (n, D, D).

    Examples
    --------
    >>> check_multivariate([[0, 1]], [[0, 0]], [[[1, 0], [0, 2]]])[2].shape
    (1, 2, 2)
    """
    y, (m, s) = check_matrix("y_true", y_true), check_multivariate_gaussian(mean, cov)
    given = [list(getattr(each, "columns", ())) for each in (y_true, mean)]
    if given[0] != given[1] and Counter(given[0]) == Counter(given[1]):
        raise ValueError("y_true and mean have the same columns in different orders: mean[y_true.columns], or pass "
                         ".to_numpy() of both to go by position")
    if y.shape != m.shape:
        raise ValueError(f"y_true has shape {y.shape}, mean has shape {m.shape}")
    reject("y_true", y, np.abs(y - m) / np.sqrt(np.diagonal(s, axis1=1, axis2=2)) > LARGEST, _FAR)
    return y, m, s


def check_multivariate_gaussian(mean: ArrayLike, cov: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Read means, shape (n, D), and positive definite covariances, shape (n, D, D).

    Examples
    --------
    >>> check_multivariate_gaussian([[0, 0]], [[[1, 0], [0, 2]]])[0].shape
    (1, 2)
    """
    m, s = check_matrix("mean", mean), as_float("cov", cov)
    if s.shape != (*m.shape, m.shape[1]):
        raise ValueError(f"cov must have shape {(*m.shape, m.shape[1])}, one matrix per case, got {s.shape}")
    size = np.abs(s)
    reject("cov", s, ~(size <= LARGEST), f"must be finite (and at most {LARGEST:g})")
    reject("cov", s, np.abs(s - s.swapaxes(1, 2)) > 1e-10 * size.max(axis=(1, 2), keepdims=True), "must be symmetric")
    reject("cov", s, np.eye(s.shape[1], dtype=bool) & (s < LARGEST**-2), f"has a variance that {_RESCALE}")
    try:
        np.linalg.cholesky(s)
    except np.linalg.LinAlgError:
        case = int(np.argmin(np.linalg.eigvalsh(s)[:, 0]))
        raise ValueError(f"cov must be positive definite: cov[{case}] is not") from None
    return m, s


def check_probabilities(y_prob: ArrayLike) -> np.ndarray:
    """Read probabilities in [0, 1], shape (n,).

    Examples
    --------
    >>> check_probabilities([0.2, 1]).tolist()
    [0.2, 1.0]
    """
    f = vector("y_prob", y_prob)
    outside = (f < 0) | (f > 1)
    if outside.any():
        reject("y_prob", f, outside, f"must lie in [0, 1]{_other_scale(f)}")
    return f


def _other_scale(f: np.ndarray) -> str:
    """What numbers outside of [0, 1] may be, in words."""
    if 0 <= f.min() and 2 < f.max() <= 100:
        return " (percentages? divide by 100)"
    if f.min() < -1e-6 and np.abs(f).max() < 750:
        return " (log odds? pass 1 / (1 + exp(-y_prob)), their sigmoid)"
    return ""


def check_gaussian(mean: ArrayLike, std: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Read predictive means and standard deviations, both (n,).

    Examples
    --------
    >>> check_gaussian([1, 2], [0.5, 0.5])[1].tolist()
    [0.5, 0.5]
    """
    same_order(mean=mean, std=std)
    m, s = vector("mean", mean), vector("std", std)
    reject("std", s, s <= 0, "must be positive (a standard deviation; the order is y_true, mean, std)")
    reject("mean", m, np.abs(m) > LARGEST, _RESCALE)
    reject("std", s, (s > LARGEST) | (s < 1 / LARGEST), _RESCALE)
    same_length("mean", m, "std", s)
    return m, s


def check_weight(sample_weight: Any, length: int) -> np.ndarray | None:
    """Read non-negative weights of shape (n,) as they are, or None.

    Examples
    --------
    >>> check_weight([1, 2], 2).tolist()
    [1.0, 2.0]
    """
    if sample_weight is None:
        return None
    weight = vector("sample_weight", sample_weight)
    reject("sample_weight", weight, weight < 0, "must not be negative")
    if weight.size != length:
        raise ValueError(f"sample_weight has length {weight.size}, the data have {length}")
    return weight


def relative_weight(sample_weight: Any, length: int) -> np.ndarray | None:
    """Weights of all cases that one average is taken over, the largest made 1, so that no sum overflows.

    An average does not depend on the unit of its weights. Where sums of several calls are added up,
    `check_weight` is right, since each call would choose a unit of its own.

    Examples
    --------
    >>> relative_weight([1, 2], 2).tolist()
    [0.5, 1.0]
    """
    weight = check_weight(sample_weight, length)
    if weight is None:
        return None
    if weight.max() <= 0:
        raise ValueError("sample_weight sums to zero")
    return np.where(weight > 0, np.maximum(weight / weight.max(), np.finfo(float).tiny), 0.0)  # no weight vanishes


def check_thetas(name: str, theta: Any, low: float, high: float) -> np.ndarray:
    """Read decision parameters strictly inside (low, high), a scalar or shape (m,).

    Examples
    --------
    >>> check_thetas("c", 0.2, 0, 1).tolist()
    [0.2]
    """
    values = vector(name, np.atleast_1d(as_float(name, theta)))
    reject(name, values, (values <= low) | (values >= high), f"must lie in ({low:g}, {high:g})")
    return values


def named(what: str, given: Any, taken: Sequence[str] = ()) -> dict[str, Any]:
    """A mapping with its names as text; raise ValueError if two are the same as text, or one is reserved.

    Examples
    --------
    >>> named("models", {1: [0.2]})
    {'1': [0.2]}
    """
    if not isinstance(given, Mapping):
        raise ValueError(f"{what} must be a mapping of names, got {type(given).__name__}")
    names = [str(name) for name in given]
    clashes = [name for name in names if names.count(name) > 1 or name in taken]
    if clashes:
        raise ValueError(f"the name {clashes[0]!r} in {what} is used twice (names are read as text), or by the report")
    return dict(zip(names, given.values(), strict=True))


def named_forecasts(models: Any, taken: Sequence[str] = ()) -> dict[str, tuple[Any, ...]]:
    """Forecasts by name, each a tuple, of a mapping or of the columns of a table.

    Examples
    --------
    >>> named_forecasts({"a": [0.2], "b": ([1.0], [0.5])})
    {'a': ([0.2],), 'b': ([1.0], [0.5])}
    """
    if hasattr(models, "collect") and hasattr(models, "collect_schema"):
        raise ValueError("models is a lazy table: collect it first, models.collect()")
    if hasattr(models, "columns") and hasattr(models, "__getitem__"):
        columns = list(getattr(models, "column_names", models.columns))  # the columns of an arrow table are arrays
        if len(set(columns)) < len(columns):
            raise ValueError("models has two columns of the same name")
        models = {name: models[name] for name in columns}
    elif not isinstance(models, Mapping):
        raise ValueError(f"models must be a mapping of names to forecasts, or a table with a column for each model, "
                         f"got {type(models).__name__}")
    return {name: given if isinstance(given, tuple) else (given,)
            for name, given in named("models", models, taken).items()}


def no_weight(sample_weight: Any, what: str) -> None:
    """Refuse weights for a quantity that is not an average over single data points."""
    if sample_weight is not None:
        raise ValueError(f"{what} is not an average over data points: sample_weight has no meaning")


def numbers(name: str, values: Any) -> np.ndarray:
    """Read finite numbers of any shape."""
    array = as_float(name, values)
    reject(name, array, ~np.isfinite(array), "must be finite")
    return array


def positive(name: str, value: Any) -> float:
    """Read one finite positive number."""
    number = one_number(name, value)
    if number <= 0:
        raise ValueError(f"{name} must be positive, got {number!r}")
    return number


def one_number(name: str, value: Any) -> float:
    """Read one finite number."""
    array = as_float(name, value)
    if array.ndim != 0 or not np.isfinite(array):
        raise ValueError(f"{name} must be one finite number, got {value!r}")
    return float(array)


def whole(name: str, value: Any, least: int = 1, most: float = np.inf) -> int:
    """Read one whole number, at least 1."""
    number = one_number(name, value)
    if not least <= number <= most or number != int(number):
        limit = "" if np.isinf(most) else f" and at most {most:,}"
        raise ValueError(f"{name} must be a whole number of at least {least}{limit}, got {value!r}")
    return int(number)


def no_class(name: str, value: Any) -> None:
    """Refuse a class where an object of it is meant: a family, a prior or a score."""
    if isinstance(value, type):
        raise ValueError(f"{name} is the class {value.__name__}: pass an object of it, {value.__name__}(...)")


def one_of(name: str, value: Any, *allowed: str) -> str:
    """Read one of a few words."""
    if not isinstance(value, str) or value not in allowed:
        words = " or ".join(f'"{word}"' for word in allowed)
        raise ValueError(f"{name} must be {words}, got {value!r}")
    return value


def seed(value: Any) -> int:
    """Read a seed: a whole number, at least 0."""
    return whole("seed", value, 0)


def inside(name: str, value: Any, low: float, high: float) -> float:
    """Read one number strictly between low and high."""
    number = one_number(name, value)
    if not low < number < high:
        raise ValueError(f"{name} must lie in ({low:g}, {high:g}), got {number!r}")
    return number


def as_float(name: str, values: Any) -> np.ndarray:
    """Read numbers of any shape, NaN and infinity included."""
    if has_a_mask(values):
        raise ValueError(f"{name} has masked entries; drop them or fill them first")
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} must be a regular array of numbers: {error}") from None
    except (RuntimeError, TypeError, AttributeError, BufferError, LookupError) as error:  # a tensor with gradients
        raise ValueError(f"{name} must be numbers that numpy can read (a tensor: detach it, move it to the CPU "
                         f"and make it float32): {error}") from None
    if array.dtype.kind in "USO":
        _reject_what_is_no_number(name, np.asarray(values, dtype=object))  # before numpy turns numbers into text
    if array.dtype.kind not in "biufO":
        raise ValueError(f"{name} must be numeric, got dtype {array.dtype}")
    return array.astype(float)


def has_a_mask(values: Any) -> bool:
    """Is an entry masked, of an array or of one of the arrays in a list?

    Examples
    --------
    >>> has_a_mask(np.ma.array([1, 2], mask=[False, True])), has_a_mask([1, 2])
    (True, False)
    """
    if isinstance(values, (list, tuple)):
        return any(isinstance(value, (list, tuple, np.ma.MaskedArray)) and has_a_mask(value) for value in values)
    return values is np.ma.masked or (np.ma.isMaskedArray(values) and bool(np.ma.getmaskarray(values).any()))


def _reject_what_is_no_number(name: str, array: np.ndarray) -> None:
    for index in np.ndindex(array.shape):
        value = array[index]
        argument = f"{name}[{', '.join(map(str, index))}]" if index else name
        if value is None:
            raise ValueError(f"{argument} is None, not a number" + (
                ": use NaN for one that is missing, where gaps are allowed" if index else ""))
        if isinstance(value, (str, bytes)):
            hint = " (for labels as text pass y_true == the label that counts as 1)" if name == "y_true" else ""
            raise ValueError(f"{name} must be numeric: {argument} is {str(value)!r}, a text{hint}")
        try:
            float(value)
        except Exception as error:  # whatever its __float__ raises
            raise ValueError(f"{name} must be numeric: {argument} is {value!r:.40} ({error})") from None


def check_matrix(name: str, values: Any) -> np.ndarray:
    """Read finite numbers of shape (n, D), one row per case."""
    array = as_float(name, values)
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(f"{name} must have shape (n, D), one row per case, got {array.shape}")
    reject(name, array, ~(np.abs(array) <= LARGEST), f"must be finite and below {LARGEST:g}")
    return array


def reject(name: str, array: np.ndarray, bad: np.ndarray, rule: str) -> None:
    """Raise for the first bad entry, of an array of any shape."""
    if bad.any():
        index = tuple(np.argwhere(bad)[0].tolist())
        place = f"[{', '.join(map(str, index))}]" if index else ""
        raise ValueError(f"{name} {rule}: {name}{place} is {float(array[index])!r}")


def same_length(first: str, a: np.ndarray, second: str, b: np.ndarray) -> None:
    """Refuse two lists of different lengths, by their names."""
    if a.size != b.size:
        raise ValueError(f"{first} has length {a.size}, {second} has length {b.size}")
