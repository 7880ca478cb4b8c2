// What is known of an element on the way down: its style, and what it has from those around it.

const UNREDUCED = [1, 1];

class ElementView {
  constructor(el, above, style, display) {
    this.el = el; // or one that looks alike
    this.above = above;
    this.style = style;
    this.inert = el.inert === true || (above !== null && above.inert && !isModal(el));
    this.inline =
      display === 'inline' ||
      display === 'contents' ||
      display.startsWith('ruby') ||
      display.endsWith('math');
    this.hollow = FALLBACK_TAGS.has(el.tagName);
    this.effects =
      above !== null
        ? above.effects | (shadowRootOf(el) !== null ? ALL_EFFECTS : 0)
        : effectsIn(documentOf(el));
    this.known = undefined;
    this.legible = undefined;
    this.cut = undefined;
    this.cutting = undefined;
    this.hiding = undefined;
    this.rest = undefined;
    this.shut = null; // of a box that shows nothing of itself: what in it is seen all the same
    this.stands = undefined;
    this.likeness = null; // who knows which elements inside look alike
    this.alike = null; // the views of what is inside, by their keys
    this.bare = null; // those of what has no attributes, by tag
    this.drawn = undefined;
    this.points = undefined;
    this.fixed = undefined;
    this.drift = undefined;
    this.keeps = undefined;
    this.edits = undefined;
  }

  get visible() {
    return (this.drawn ??= this.shut === null && this.style.visibility === 'visible');
  }

  get preserves() {
    return (this.keeps ??= this.style.whiteSpaceCollapse === 'preserve');
  }

  // Whether it is where editing begins.
  get host() {
    return (this.edits ??= isEditingHost(this.el));
  }

  get pointer() {
    return (this.points ??= this.style.cursor === 'pointer' && this.style.pointerEvents !== 'none');
  }

  // Whether its place or its size may hide it.
  get placed() {
    return (this.fixed ??= /absolute|fixed/.test(this.style.position) || this.cuts || this.moves);
  }

  // Whether its like may be moved out of sight: by how much is each one's own.
  get moves() {
    return (this.drift ??=
      (this.effects & MOVING) !== 0 &&
      (this.style.transform.includes('-') || this.style.translate.includes('-')));
  }

  // Whether it may stand over something that it is not in, or under it.
  get leavesFlow() {
    return (this.stands ??=
      this.style.position !== 'static' && isPainted(this.el, this.style) && leavesFlow(this.style));
  }

  get cuts() {
    return (this.cutting ??= this.style.overflow !== 'visible');
  }

  // Whether it is a box that cuts off what flows out of it, without a way to scroll to that.
  get hides() {
    return (this.hiding ??=
      this.cuts &&
      !/auto|scroll/.test(this.style.overflow) &&
      !PAGE_TAGS.has(this.el.tagName) &&
      this.style.width !== 'auto');
  }

  // Whether a box around cuts off all the text in it.
  get clipped() {
    return (this.cut ??=
      (this.above !== null && this.above.clipped) || (this.hides && isCutOff(this.el)));
  }

  // The opacity of what is inside, and the size of its letters, as parts of what they say.
  get left() {
    if (!this.effects) return UNREDUCED;
    if (this.rest === undefined) {
      const [opacity, size] = this.above ? this.above.left : UNREDUCED;
      const { style } = this;
      const moved =
        (this.effects & MOVING) !== 0 &&
        (style.transform !== 'none' || style.scale !== 'none' || style.rotate !== 'none');
      const own = moved && !isPartOf3d(this.el, style) ? shareLeftByTransform(style) : 1;
      this.rest =
        own === 1 && style.opacity === '1'
          ? (this.above?.left ?? UNREDUCED)
          : [opacity * style.opacity, size * own];
    }
    return this.rest;
  }

  // The colour behind the text, null where it cannot be known from ancestors alone.
  get back() {
    if (this.known === undefined) {
      const style = this.style;
      if (style.backgroundImage !== 'none' || style.filter !== 'none') this.known = null;
      else if (!isTransparent(style.backgroundColor) && style.backgroundClip !== 'text')
        this.known = blendColors(style.backgroundColor, this.behind);
      else if (style.position !== 'static') this.known = null;
      else this.known = this.behind;
    }
    return this.known;
  }

  get behind() {
    if (this.above) return this.above.back;
    return this.style.colorScheme.includes('dark') ? null : 'rgb(255, 255, 255)';
  }

  contrasts(opacity) {
    const { style } = this;
    // Text of a drawing has a fill instead, and shapes behind it.
    if (typeof this.el.ownerSVGElement === 'object') {
      return (
        (style.fill !== 'none' &&
          style.fillOpacity * opacity > MIN_OPACITY &&
          !isTransparent(style.fill)) ||
        style.stroke !== 'none'
      );
    }
    return (
      isDistinct(style.webkitTextFillColor, this.back, opacity) ||
      style.textShadow !== 'none' ||
      style.webkitTextStrokeWidth !== '0px' ||
      (style.backgroundClip === 'text' &&
        (isDistinct(style.backgroundColor, this.behind, opacity) ||
          (style.backgroundImage !== 'none' &&
            gradientPaints(style.backgroundImage, this.behind, opacity)))) ||
      hasBackdrop(this.el, style.webkitTextFillColor, opacity)
    );
  }

  // Whether text directly inside is readable.
  get readable() {
    return (this.legible ??= this.style.visibility === 'visible' && this.isLegible());
  }

  // The same of a text that is, or will be, visible.
  isLegible() {
    const style = this.style;
    const [opacity, size] = this.left;
    return (
      !this.hollow &&
      this.shut === null &&
      parseFloat(style.fontSize) * size * (this.el.currentCSSZoom ?? 1) >= MIN_SIZE &&
      parseFloat(style.textIndent) > -OFFSCREEN_PX &&
      this.contrasts(opacity) &&
      !this.clipped
    );
  }
}

const isTransparent = (color) =>
  color === 'rgba(0, 0, 0, 0)' ||
  (color[3] === 'a' && color.endsWith(', 0)')) ||
  color.endsWith('/ 0)');

function isModal(el) {
  return (
    (el.tagName === 'DIALOG' && el.open && el.matches(':modal')) ||
    el.getAttribute('aria-modal') === 'true'
  );
}
