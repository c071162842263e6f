"""What can be measured in a cell: one file per question, one literal registry."""

from levcert.benchmark.measures.catalog import measure as measure
