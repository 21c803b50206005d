"""The dashboard: ``streamlit run app.py``, or the command line with ``python app.py``."""

from pathlib import Path

import streamlit as st

app = st.App(Path(__file__).resolve().parent / "pages" / "_shell.py")

if __name__ == "__main__":
    from ctxcore.cli import main

    main()
