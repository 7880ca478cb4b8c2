"""Applications from the package registries, started on a free port of 127.0.0.1."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
import urllib.error
import urllib.request
from contextlib import closing
from pathlib import Path
from socket import socket
from typing import Any, Self

from field.packages import install_npm, install_venv
from support.waiting import wait_until

PASSWORD = "correct horse 7"


class Application:
    """`with Wagtail() as site:` installs it once, starts it, ends it, and removes its data."""

    def __init__(self) -> None:
        with socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.folder = Path(tempfile.mkdtemp(prefix="field-"))
        self.url = f"http://127.0.0.1:{self.port}"

    def prepare(self) -> list[str]:
        """Make its data in `folder`; return the command that serves it."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        environ = {**os.environ, "HOME": str(self.folder), "JUPYTER_CONFIG_DIR": str(self.folder)}
        self._log = (self.folder / "server.log").open("w")
        self._process = subprocess.Popen(
            self.prepare(), cwd=self.folder, env=environ, stdin=subprocess.DEVNULL,
            stdout=self._log, stderr=self._log, start_new_session=True,
        )  # fmt: skip
        wait_until(self._answers, 120, f"{type(self).__name__} on port {self.port}")
        return self

    def __exit__(self, *exc: object) -> None:
        os.killpg(self._process.pid, 15)
        self._process.wait(30)
        self._log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _answers(self) -> bool:
        if self._process.poll() is not None:
            raise SystemExit((self.folder / "server.log").read_text()[-2000:])
        try:
            urllib.request.urlopen(self.url, timeout=5).close()
        except urllib.error.HTTPError:
            return True
        except OSError:
            return False
        return True


class Wagtail(Application):
    """A new Wagtail site: its own administration, and Django's beside it."""

    def prepare(self) -> list[str]:
        scripts = install_venv("wagtail") / "bin"
        python, manage = str(scripts / "python"), str(self.folder / "manage.py")
        user = ["--username", "root", "--email", "root@example.org", "--noinput"]
        environ = {**os.environ, "DJANGO_SUPERUSER_PASSWORD": PASSWORD}
        for command in (
            [str(scripts / "wagtail"), "start", "mysite", str(self.folder)],
            [python, manage, "migrate", "-v0"],
            [python, manage, "createsuperuser", *user],
        ):
            subprocess.run(command, cwd=self.folder, env=environ, check=True, capture_output=True)
        return [python, manage, "runserver", "--noreload", f"127.0.0.1:{self.port}"]

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return what its database answers."""
        with sqlite3.connect(self.folder / "db.sqlite3") as database:
            return database.execute(query).fetchall()


class TiddlyWiki(Application):
    """A wiki whose entries are files."""

    def prepare(self) -> list[str]:
        command = str(install_npm("tiddlywiki") / "tiddlywiki")
        wiki = str(self.folder / "wiki")
        subprocess.run([command, wiki, "--init", "server"], check=True, capture_output=True)
        return [command, wiki, "--listen", f"port={self.port}"]

    def entries(self) -> dict[str, str]:
        """Return the files of the wiki by title."""
        folder = self.folder / "wiki" / "tiddlers"
        return {path.stem: path.read_text("utf-8") for path in folder.glob("*.tid")}


class JupyterLab(Application):
    """A notebook server on a folder of its own."""

    def prepare(self) -> list[str]:
        self.work = self.folder / "work"
        self.work.mkdir()
        (self.work / "notes.txt").write_text("one\ntwo\n")
        scripts = install_venv("jupyterlab") / "bin"
        return [str(scripts / "jupyter-lab"), "--no-browser", "--allow-root", "--ip=127.0.0.1",
                f"--port={self.port}", "--IdentityProvider.token=", "--ServerApp.password=",
                f"--ServerApp.root_dir={self.work}"]  # fmt: skip


class SqliteWeb(Application):
    """An editor of the tables of a SQLite file."""

    def prepare(self) -> list[str]:
        self.path = self.folder / "garden.db"
        with closing(sqlite3.connect(self.path)) as database:
            database.execute("create table plants (id integer primary key, name text, height int)")
            database.execute("insert into plants(name, height) values ('fern', 40), ('oak', 2000)")
            database.commit()
        command = str(install_venv("sqlite-web") / "bin" / "sqlite_web")
        return [command, "--no-browser", "--port", str(self.port), str(self.path)]

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return what its database answers."""
        with closing(sqlite3.connect(self.path)) as database:
            return database.execute(query).fetchall()


class NodeRed(Application):
    """An editor of flows between nodes."""

    def prepare(self) -> list[str]:
        command = str(install_npm("node-red") / "node-red")
        return [command, "-p", str(self.port), "-u", str(self.folder), "--no-telemetry",
                "-D", "editorTheme.tours=false"]  # fmt: skip

    def nodes(self) -> list[dict[str, Any]]:
        """Return the nodes of all flows that are deployed."""
        with urllib.request.urlopen(f"{self.url}/flows", timeout=10) as answer:
            found: list[dict[str, Any]] = json.load(answer)
        return found


class Gradio(Application):
    """A form of Gradio's fields: what its function was given is in a file."""

    def prepare(self) -> list[str]:
        self.path = self.folder / "orders.jsonl"
        script = self.folder / "form.py"
        script.write_text(_GRADIO_FORM.format(path=str(self.path), port=self.port))
        return [str(install_venv("gradio") / "bin" / "python"), str(script)]

    def orders(self) -> list[list[Any]]:
        """Return what the function was given, call by call."""
        lines = self.path.read_text("utf-8").splitlines() if self.path.exists() else []
        return [json.loads(line) for line in lines]


_GRADIO_FORM = """
import json, os
os.environ.update(GRADIO_ANALYTICS_ENABLED="False", HF_HUB_OFFLINE="1")
import gradio as gr

def order(*given):
    with open({path!r}, "a") as file:
        file.write(json.dumps(given) + "\\n")
    return f"Ordered for {{given[0]}}"

with gr.Blocks(title="Order") as form:
    fields = [
        gr.Textbox(label="Name"), gr.Number(label="Amount"),
        gr.Slider(0, 100, value=10, step=5, label="Level"),
        gr.Dropdown(["Red", "Green", "Blue"], label="Colour"),
        gr.Dropdown(["fresh", "dried", "frozen"], multiselect=True, label="Tags"),
        gr.CheckboxGroup(["Milk", "Eggs", "Bread"], label="Food"),
        gr.Checkbox(label="Agree"), gr.Radio(["Mon", "Tue"], label="Day"),
    ]
    gr.Button("Order").click(order, fields, gr.Textbox(label="Result"))
form.launch(server_name="127.0.0.1", server_port={port}, share=False)
"""
