//! Build variant names in both notations.
