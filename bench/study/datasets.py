"""The tables of the study, by name: files of the user's, what Debian packages bring, simulated ones, features of images."""

import functools
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn import datasets as bundled

import images
import simulated
from data_table import Absent, DataTable, tidy

#: Files of a folder of --data; the study ships none of them. name: label
FILES = {"adult": "income", "credit_default": "default", "htru2": "class"}
#: scikit-learn brings these.
BUNDLED = {"digits": bundled.load_digits, "breast_cancer": bundled.load_breast_cancer, "wine": bundled.load_wine, "iris": bundled.load_iris}
#: Files of the Debian packages r-cran-mlbench, r-cran-kernlab and r-cran-caret; scripts/get-data tables brings them. name: file, label, columns to drop
R_FILES = {
    "satellite": ("mlbench/Satellite", "classes", ()),
    "letter": ("mlbench/LetterRecognition", "lettr", ()),
    "shuttle": ("mlbench/Shuttle", "Class", ()),
    "pima": ("mlbench/PimaIndiansDiabetes2", "diabetes", ()),
    "vehicle": ("mlbench/Vehicle", "Class", ()),
    "ionosphere": ("mlbench/Ionosphere", "Class", ()),
    "sonar": ("mlbench/Sonar", "Class", ()),
    "vowel": ("mlbench/Vowel", "Class", ()),
    "dna": ("mlbench/DNA", "Class", ()),
    "house_votes": ("mlbench/HouseVotes84", "Class", ()),
    "biopsy": ("mlbench/BreastCancer", "Class", ("Id",)),
    "spam": ("kernlab/spam", "type", ()),
    "income": ("kernlab/income", "INCOME", ()),
    "caravan": ("kernlab/ticdata", "CARAVAN", ()),
    "glass": ("mlbench/Glass", "Type", ()),
    "soybean": ("mlbench/Soybean", "Class", ()),
    "musk": ("kernlab/musk", "Class", ()),
    "german_credit": ("caret/GermanCredit", "Class", ()),
    "cells": ("caret/segmentationData", "Class", ("Cell", "Case")),
    "dhfr": ("caret/dhfr", "Y", ()),
}
#: Where the packages put them when they are installed.
R_LIBRARY = Path("/usr/lib/R/site-library")
NAMES = (*FILES, *BUNDLED, *R_FILES, *simulated.TOYS, *simulated.DRAWN, *images.NAMES)


def load(name, seed, folders, cache):
    """The table; only simulated ones depend on the seed. Raises Absent. `cache` is a folder for features of images."""
    if name in simulated.TOYS:
        return simulated.TOYS[name](np.random.default_rng([seed, 1]))
    if name in simulated.DRAWN:
        return simulated.DRAWN[name](np.random.default_rng([seed, 2]))
    return _load_file(name, tuple(folders), cache)


@functools.lru_cache(maxsize=4)
def _load_file(name, folders, cache):
    if name in FILES:
        path = find(f"{name}.csv.gz", folders)
        if path is None:
            raise Absent(f"no folder of --data holds {name}.csv.gz")
        return tidy(pd.read_csv(path), FILES[name], name)
    if name in BUNDLED:
        found = BUNDLED[name]()
        X = pd.DataFrame(np.ascontiguousarray(found.data), columns=[str(column) for column in found.feature_names])
        return DataTable(name, X, found.target)
    if name in R_FILES:
        return _read_r_file(name, folders)
    return images.load(name, folders, Path(cache))


def find(path, folders):
    """The first of the folders' files of that name, or None."""
    return next((Path(folder) / path for folder in folders if (Path(folder) / path).exists()), None)


def _read_r_file(name, folders):
    file, label, dropped = R_FILES[name]
    package, stem = file.split("/")
    path = find(f"tables/{package}/{stem}.rda", folders) or find(f"{package}/data/{stem}.rda", [R_LIBRARY])
    if path is None:
        raise Absent(f"{stem}.rda of the Debian package r-cran-{package}: scripts/get-data tables brings it")
    try:
        import rdata
    except ImportError:
        raise Absent("the Python package rdata (Debian: python3-rdata), which reads .rda files") from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it notes for every word that its encoding is not given
        frame = rdata.conversion.convert(rdata.parser.parse_file(path))[stem]
    return tidy(frame.drop(columns=list(dropped)), label, name)
