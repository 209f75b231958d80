"""From a file of forecasts to a decision: the command line, its reader, its report."""
