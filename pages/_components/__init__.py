"""Drawn parts that Streamlit does not have: canvas charts and lists, as components without a frame of their own.

Text of a session reaches them as data and is written with ``textContent`` alone.
"""
