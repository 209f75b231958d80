"""The small data sets that chapters return to: mushrooms, a parcel desk, a screening, a bank's calls."""
