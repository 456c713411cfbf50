#pragma once

#include "command.hpp"

/// What a user reads about each command.
namespace lacuna::cli::texts {

inline constexpr CommandText fit{"fit", "Learn a classifier from a table in which some labels are missing",
                                 "lacuna fit TRAIN -o MODEL --label COLUMN [OPTIONS]",
                                 R"(  lacuna fit loans.csv -o loans.lacuna --label repaid
  lacuna fit cells.csv.gz -o cells.lacuna --label type --classes healthy,ill,unclear --seed 7
  lacuna fit 'part-*.csv.gz' -o loans.lacuna --label repaid --memory 2G
  lacuna fit images.npy -o images.lacuna --labels labels.npy --method mcar-em
  lacuna fit loans.csv -o loans.lacuna --label repaid --config run.toml --json fit.json
  lacuna fit images.idx3.gz -o digits.lacuna --labels digits.csv --features vae:2 --vae-epochs 30
A configuration file holds the same options, one per line: components = 20, classes = ["a", "b"])",
                                 "output label labels classes missing_label drop categorical features method "
                                 "density components seed threads json report force quiet"};

inline constexpr CommandText predict{"predict", "Predict classes with an error probability for every row",
                                     "lacuna predict MODEL DATA -o OUT.csv [OPTIONS]",
                                     R"(  lacuna predict loans.lacuna new.csv -o predictions.csv
  lacuna predict loans.lacuna new.csv.gz -o - | head
  lacuna predict loans.lacuna new.csv -o decisions.csv --risk 0.05 --sets 0.9
Columns: prediction, error_probability, informative (1: labels say something about rows like this),
log_ratio, and the probability p_<class> of every class; then those of promises that were asked for.
Columns of DATA are found by name.)",
                                     "output id keep abstain sets risk confidence csv_safe no_header "
                                     "threads force quiet"};

inline constexpr CommandText evaluate{"evaluate",
                                      "Compare predictions with known labels: how good, and how honest",
                                      R"(lacuna evaluate MODEL DATA --label COLUMN [OPTIONS]
       lacuna evaluate --probabilities FILE [OPTIONS])",
                                      R"(  lacuna evaluate loans.lacuna test.csv --label repaid
  lacuna evaluate loans.lacuna test.csv --label repaid --stratum region --json metrics.json
  lacuna evaluate loans.lacuna test.csv --label repaid --stratum region --report report.html
  lacuna evaluate loans.lacuna test.csv --label repaid --calibrate platt --calibration-data held-out.csv
  lacuna evaluate --probabilities forest.csv --label repaid
overconfidence and underconfidence add up to ece, the mean distance between error probability and
error rate over 20 equal bins of the error probability.)",
                                      "label labels missing_label stratum json report train probabilities "
                                      "calibrate calibration_data threads force quiet"};

inline constexpr CommandText explain{
    "explain", "Say why labels speak about a row or not, and how its error probability is made up",
    "lacuna explain MODEL DATA --row K [OPTIONS]",
    R"(  lacuna explain loans.lacuna new.csv --row 7
  lacuna explain loans.lacuna new.csv --row 7 --train loans.csv --json row-7.json
A column pushes the log ratio by what it would change if the column were left out; alone is the log
ratio of that column and nothing else. The distance of a labeled row is in standard deviations of a
column, as a mean over columns; categories that differ count one.)"};

inline constexpr CommandText compare{
    "compare", "Fit all four methods to one table and show them beside plain models",
    "lacuna compare TRAIN TEST --label COLUMN --out DIR [OPTIONS]",
    R"(  lacuna compare train.csv test.csv --label repaid --out comparison
  lacuna compare train.csv test.csv --label repaid --stratum region --out comparison --models
The methods share densities, features and seed. DIR gets metrics.json and report.html, a page
with figures that opens in any browser, without a network.)",
    "label labels drop categorical features density stratum out models seed threads force quiet"};

inline constexpr CommandText diagnose{
    "diagnose",
    "Say what a table with missing labels allows: who has one, and what they can tell of the others",
    "lacuna diagnose TRAIN --label COLUMN [OPTIONS]",
    R"(  lacuna diagnose loans.csv --label repaid
  lacuna diagnose loans.csv --label repaid --drop id,decided_by --json diagnosis.json
Are labels missing by lot (the AUC of labeled against unlabeled rows, with a permutation p-value), which
columns tell who has one, about which rows labels say nothing, between what limits a model errs on rows
without a label, and classes with too few. Options are those of a fit; nothing is written but JSON.)",
    "label labels classes missing_label drop categorical features seed threads json force quiet"};

inline constexpr CommandText advise{"advise", "Say which rows to label next",
                                    "lacuna advise MODEL DATA -o OUT.csv [-n N] [OPTIONS]",
                                    R"(  lacuna advise loans.lacuna loans.csv -o label-these.csv -n 50
  lacuna advise images.lacuna images.npy --labels labels.csv -o - | head
OUT has a line for each advised row, the most useful first: its number in DATA (from 1), why, what the
model predicts and how likely that is wrong, how many rows its label would speak for, by how much it
should lower the mean error probability, and the row as it stands in DATA.)"};

inline constexpr CommandText info{"info", "Say what a model file holds", "lacuna info MODEL [--json]",
                                  R"(  lacuna info loans.lacuna
  lacuna info loans.lacuna --json)"};

inline constexpr CommandText demo{"demo", "Show the method on built-in data: all methods side by side",
                                  "lacuna demo [--out DIR]",
                                  R"(  lacuna demo
  lacuna demo --out /tmp/lacuna-demo --seed 3
  lacuna demo --report demo.html)"};

inline constexpr CommandText simulate{
    "simulate", "Hide labels of a fully labeled table, to try methods where the truth is known",
    "lacuna simulate DATA --label COLUMN --protocol NAME --rare CLASSES -o OUT [OPTIONS]",
    R"(  lacuna simulate full.csv --label digit --protocol strict-mar --rare 0,1,7 -o train.csv
  lacuna fit train.csv -o model.lacuna --label digit --drop stratum
  lacuna simulate images.npy --labels y.npy --protocol mcar --labeled 200 -o labels.csv
Protocols: mcar, by lot; strict-mar, by x alone: rarely where most of the nearest neighbours are of a
rare class; authors, as in the paper's scripts: never for a rare class, others with replacement; mnar,
by y: rarely for rare classes, from which no method can learn. Distances are in the units of the
columns. OUT is the table with empty cells for hidden labels and a column stratum (rare, rest). With
--labels, OUT holds a label or "" per line, and OUT-strata the strata in the same form.)"};

inline constexpr CommandText reproduce{
    "reproduce", "Run the paper's experiments: every method, the paper's settings and our own",
    "lacuna reproduce toy|mnist|fashion-mnist --out DIR [OPTIONS]",
    R"(  lacuna reproduce toy --out results/toy
  scripts/get-data mnist && lacuna reproduce mnist --protocol strict-mar --repeats 20 --out results
Means over all runs, with the standard deviation after +-. DIR keeps features and finished runs: the
same command goes on where it was interrupted, and more repeats or VAE seeds are added to it.)"};

} // namespace lacuna::cli::texts
