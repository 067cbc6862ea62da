#!/usr/bin/env bash
# nbconvert 7.17.2 with sanitize_html=True shows the headers of pandas' tables as markup, outside of the table.
#
# `HTMLExporter.sanitize_html` is for notebooks from others. It cleans outputs by bleach, whose list of tags nbconvert
# extends by table, tr and td, and not by th, thead, tbody, caption, details, summary or style. bleach escapes what is not
# in the list, so that the reader sees <th>metal</th> as text; html5lib then moves that text in front of the table, where it
# may not stand. A data frame keeps its values and loses the names of its columns and rows. A good guess is that a sanitiser
# drops scripts and leaves the best known output of notebooks alone, as that of JupyterLab does. It hurts whoever publishes
# notebooks of others safely: each table is unreadable, and no warning says so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check nbconvert==7.17.2 nbformat==5.10.4 pandas==3.1.1 bleach==6.4.0
cat > "$folder/run.py" <<'PY'
import pandas
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_notebook, new_output

shown = pandas.DataFrame({"metal": ["gold"]})._repr_html_()
output = new_output("execute_result", {"text/html": shown}, execution_count=1)
notebook = new_notebook(cells=[new_code_cell("frame", outputs=[output], execution_count=1)])
page, _ = HTMLExporter(sanitize_html=True).from_notebook_node(notebook)
before, _, after = page.partition('<table class="dataframe">')
print(before[before.rindex("&lt;thead&gt;"):], after[:80], sep="\n--- the table:\n")
assert "&lt;th&gt;metal&lt;/th&gt;" in before, "the header is text before the table"
assert "<th>metal</th>" not in page
assert "<td>gold</td>" in after
PY
"$folder/env/bin/python" -W ignore "$folder/run.py"
echo "nbconvert 7.17.2: sanitize_html=True turns the headers of a data frame into text before the table"
