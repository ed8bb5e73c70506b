//! Python source: the imports of a file and where exactly they stand. Only `parse` knows the parser.
