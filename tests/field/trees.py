"""The documentation trees that are crawled, the small ones first."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tree:
    """A package's folder of pages; `start` is relative to `folder`, which the server serves.

    least: pages that the truth must have, so that a truth crawler which sees nothing is noticed.
    """

    package: str
    folder: str
    start: str = "index.html"
    server: str = "nginx"
    least: int = 10


TREES = {
    "developers-reference": Tree("developers-reference", "usr/share/developers-reference"),
    "debian-policy": Tree("debian-policy", "usr/share/doc/debian-policy", "policy.html/index.html"),
    "django": Tree("python-django-doc", "usr/share/doc/python-django-doc/html", least=690),
    "python": Tree("python3.11-doc", "usr/share/doc/python3.11/html", least=500),
    "postgresql": Tree("postgresql-doc-15", "usr/share/doc/postgresql-doc-15/html", least=1_100),
    "mkdocs": Tree("mkdocs-doc", "usr/share/doc/mkdocs/html"),
    "sfml": Tree("libsfml-doc", "usr/share/doc/libsfml-dev/html"),
    "glib": Tree("libglib2.0-doc", "usr/share/gtk-doc/html", "glib/index.html"),
    "octave": Tree("octave-doc", "usr/share/doc/octave", "octave.html/index.html"),
    "maxima": Tree("maxima-doc", "usr/share/doc/maxima-doc/html", "maxima_toc.html"),
    "commons-lang": Tree(
        "libcommons-lang3-java-doc", "usr/share/doc/libcommons-lang3-java", "api/index.html"
    ),
    "ghc": Tree("ghc-doc", "usr/share/doc/ghc-doc"),
    "lilypond": Tree("lilypond-doc-html", "usr/share/doc/lilypond/html"),
    "eigen": Tree("libeigen3-doc", "usr/share/doc/libeigen3-dev/html"),
    "erlang": Tree("erlang-doc", "usr/share/doc/erlang-doc", "doc/index.html"),
    "gtk": Tree("libgtk-4-doc", "usr/share/doc/libgtk-4-doc", "gtk4/index.html"),
    "pandas": Tree("python-pandas-doc", "usr/share/doc/python-pandas-doc/html"),
    "boost": Tree("libboost1.81-doc", "usr/share/doc/libboost1.81-doc", "doc/html/index.html"),
    "rust": Tree("rust-doc", "usr/share/doc/rust-doc/html"),
    "apache": Tree("apache2-doc", "usr/share/doc/apache2-doc/manual", server="apache", least=2_000),
    "openjdk": Tree("openjdk-17-doc", "usr/share/doc/openjdk-17-jre-headless", "api/index.html",
                    least=10_000),
}  # fmt: skip
