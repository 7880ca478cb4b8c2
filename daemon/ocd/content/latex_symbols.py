"""LaTeX names of Unicode's mathematical symbols."""

# ruff: noqa: RUF001 - signs that look like others

SYMBOLS = {
    "−": "-", "±": r"\pm", "∓": r"\mp", "×": r"\times", "÷": r"\div", "⋅": r"\cdot", "·": r"\cdot",
    "∗": "*", "∘": r"\circ", "∙": r"\bullet", "•": r"\bullet", "⋆": r"\star", "≤": r"\le",
    "≥": r"\ge", "≠": r"\ne", "≈": r"\approx", "≡": r"\equiv", "∼": r"\sim", "≃": r"\simeq",
    "≅": r"\cong", "∝": r"\propto", "≪": r"\ll", "≫": r"\gg", "≺": r"\prec", "≻": r"\succ",
    "∈": r"\in", "∉": r"\notin", "∋": r"\ni", "⊂": r"\subset", "⊆": r"\subseteq",
    "⊃": r"\supset", "⊇": r"\supseteq", "∪": r"\cup", "∩": r"\cap", "∖": r"\setminus",
    "⋃": r"\bigcup", "⋂": r"\bigcap", "⨁": r"\bigoplus", "⨂": r"\bigotimes", "⋁": r"\bigvee",
    "⋀": r"\bigwedge", "∅": r"\emptyset", "∧": r"\land", "∨": r"\lor", "¬": r"\neg",
    "∀": r"\forall", "∃": r"\exists", "∄": r"\nexists", "⊢": r"\vdash", "⊨": r"\models",
    "→": r"\to", "←": r"\leftarrow", "↔": r"\leftrightarrow", "↑": r"\uparrow",
    "↓": r"\downarrow", "⟶": r"\longrightarrow", "⟵": r"\longleftarrow", "⇒": r"\Rightarrow",
    "⇐": r"\Leftarrow", "⇔": r"\Leftrightarrow", "⟹": r"\implies", "⟺": r"\iff",
    "↦": r"\mapsto", "⟼": r"\longmapsto", "↪": r"\hookrightarrow", "⇀": r"\rightharpoonup",
    "⇌": r"\rightleftharpoons", "∞": r"\infty", "∂": r"\partial", "∇": r"\nabla", "∑": r"\sum",
    "∏": r"\prod", "∐": r"\coprod", "∫": r"\int", "∬": r"\iint", "∭": r"\iiint", "∮": r"\oint",
    "√": r"\surd", "…": r"\dots", "⋯": r"\cdots", "⋮": r"\vdots", "⋱": r"\ddots", "′": "'",
    "″": "''", "‴": "'''", "‖": r"\|", "∥": r"\parallel", "∣": r"\mid", "⊥": r"\perp",
    "∠": r"\angle", "△": r"\triangle", "⟨": r"\langle", "⟩": r"\rangle", "⌊": r"\lfloor",
    "⌋": r"\rfloor", "⌈": r"\lceil", "⌉": r"\rceil", "⊕": r"\oplus", "⊖": r"\ominus",
    "⊗": r"\otimes", "⊙": r"\odot", "ℏ": r"\hbar", "ℓ": r"\ell", "ℜ": r"\Re", "ℑ": r"\Im",
    "ℵ": r"\aleph", "℘": r"\wp", "ℝ": r"\mathbb{R}", "ℕ": r"\mathbb{N}", "ℤ": r"\mathbb{Z}",
    "ℚ": r"\mathbb{Q}", "ℂ": r"\mathbb{C}", "†": r"\dagger", "‡": r"\ddagger", "∴": r"\therefore",
    "∵": r"\because", "°": r"^{\circ}", "∎": r"\blacksquare", "□": r"\square", "≔": ":=",
    "⊤": r"\top", "⊔": r"\sqcup", "⊓": r"\sqcap", "∤": r"\nmid", "≲": r"\lesssim",
    "≳": r"\gtrsim", "⩽": r"\leqslant", "⩾": r"\geqslant", "≜": r"\triangleq",
    "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta", "ϵ": r"\epsilon",
    "ε": r"\varepsilon", "ζ": r"\zeta", "η": r"\eta", "θ": r"\theta", "ϑ": r"\vartheta",
    "ι": r"\iota", "κ": r"\kappa", "λ": r"\lambda", "μ": r"\mu", "ν": r"\nu", "ξ": r"\xi",
    "π": r"\pi", "ϖ": r"\varpi", "ρ": r"\rho", "ϱ": r"\varrho", "σ": r"\sigma",
    "ς": r"\varsigma", "τ": r"\tau", "υ": r"\upsilon", "φ": r"\varphi", "ϕ": r"\phi",
    "χ": r"\chi", "ψ": r"\psi", "ω": r"\omega", "Γ": r"\Gamma", "Δ": r"\Delta", "Θ": r"\Theta",
    "Λ": r"\Lambda", "Ξ": r"\Xi", "Π": r"\Pi", "Σ": r"\Sigma", "Υ": r"\Upsilon", "Φ": r"\Phi",
    "Ψ": r"\Psi", "Ω": r"\Omega", "µ": r"\mu", "∆": r"\Delta",
    "\\": r"\backslash", "{": r"\{", "}": r"\}", "#": r"\#", "$": r"\$", "%": r"\%", "&": r"\&",
    "_": r"\_", "~": r"\sim", "^": r"\hat{}",
    # Signs without a shape: application, product, separator, sum, and joiners.
    "\u2061": "", "\u2062": "", "\u2063": "", "\u2064": "", "\u200b": "", "\u2060": "",
    "\u00a0": r"\ ", "\u2003": r"\quad", "\u2009": r"\,", "\u200a": "", "\u2005": r"\:",
}  # fmt: skip
FUNCTIONS = frozenset(
    (
        *("arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "det"),
        *("dim", "exp", "gcd", "hom", "inf", "ker", "lg", "lim", "liminf", "limsup", "ln", "log"),
        *("max", "min", "Pr", "sec", "sin", "sinh", "sup", "tan", "tanh"),
    )
)
# By where it stands, over ("^") or under ("_").
ACCENTS = {
    ("^", "^"): r"\hat", ("^", "ˆ"): r"\hat", ("^", "~"): r"\tilde", ("^", "˜"): r"\tilde",
    ("^", "¯"): r"\bar", ("^", "‾"): r"\overline", ("^", "―"): r"\overline",
    ("^", "_"): r"\overline", ("^", "→"): r"\vec", ("^", "⃗"): r"\vec", ("^", "⇀"): r"\vec",
    ("^", "˙"): r"\dot", ("^", "."): r"\dot", ("^", "¨"): r"\ddot", ("^", "⏞"): r"\overbrace",
    ("^", "ˇ"): r"\check", ("^", "˘"): r"\breve", ("^", "´"): r"\acute", ("^", "`"): r"\grave",
    ("_", "⏟"): r"\underbrace", ("_", "_"): r"\underline", ("_", "¯"): r"\underline",
    ("_", "‾"): r"\underline", ("_", "―"): r"\underline", ("_", "̲"): r"\underline",
}  # fmt: skip
