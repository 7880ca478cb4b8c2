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
    "sfml": Tree("libsfml-doc", "usr/share/doc/libsfml-dev/html", least=400),
    "glib": Tree("libglib2.0-doc", "usr/share/gtk-doc/html", "glib/index.html", least=100),
    "octave": Tree("octave-doc", "usr/share/doc/octave", "octave.html/index.html", least=500),
    "maxima": Tree("maxima-doc", "usr/share/doc/maxima-doc/html", "maxima_toc.html", least=380),
    "commons-lang": Tree(
        "libcommons-lang3-java-doc", "usr/share/doc/libcommons-lang3-java", "api/index.html",
        least=700,
    ),
    "apache": Tree("apache2-doc", "usr/share/doc/apache2-doc/manual", server="apache", least=2_000),
    "openjdk": Tree("openjdk-17-doc", "usr/share/doc/openjdk-17-jre-headless", "api/index.html",
                    least=10_000),
}  # fmt: skip
