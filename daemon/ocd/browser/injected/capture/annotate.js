// Numbered boxes on a picture of the page. They are drawn on a canvas that belongs to no document:
// the page keeps its nodes, its layout and its peace.

const COLOURS = [
  '#c2185b',
  '#1565c0',
  '#2e7d32',
  '#bf360c',
  '#6a1b9a',
  '#00695c',
  '#4e342e',
  '#283593',
];

async function bitmapOf(picture) {
  const bytes = Uint8Array.from(atob(picture), (letter) => letter.charCodeAt(0));
  return createImageBitmap(new Blob([bytes], { type: 'image/png' }));
}

async function toBase64(blob) {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; at += 32768)
    text += String.fromCharCode(...bytes.subarray(at, at + 32768));
  return btoa(text);
}

function drawGrid(pen, width, height) {
  pen.lineWidth = 1;
  pen.strokeStyle = 'rgba(0, 0, 0, 0.25)';
  pen.fillStyle = 'rgba(0, 0, 0, 0.7)';
  for (let x = 100; x < width; x += 100) {
    pen.strokeRect(x, -1, 0, height + 2);
    pen.fillText(String(x), x + 2, 10);
  }
  for (let y = 100; y < height; y += 100) {
    pen.strokeRect(-1, y, width + 2, 0);
    pen.fillText(String(y), 2, y - 2);
  }
}

const boxesOverlap = (a, b) =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

// Where a label covers neither another one nor the words of its own box, if there is such a place.
function spotForLabel(box, w, h, taken, width, height) {
  const places = [
    [box.x, box.y - h],
    [box.x - w, box.y],
    ...(box.w > 200 ? [[box.x + box.w - w, box.y]] : []),
    [box.x + box.w, box.y],
    [box.x, box.y + box.h],
    [box.x + box.w - w, box.y - h],
    [box.x, box.y],
  ].map(([x, y]) => ({
    x: Math.max(0, Math.min(x, width - w)),
    y: Math.max(0, Math.min(y, height - h)),
    w,
    h,
  }));
  return (
    places.find((place) => !taken.some((other) => boxesOverlap(place, other))) || places.at(-1)
  );
}

function drawBoxes(pen, options, width, height) {
  const taken = [];
  options.boxes.forEach((box, at) => {
    const colour = COLOURS[at % COLOURS.length];
    pen.strokeStyle = colour;
    pen.lineWidth = 2;
    if (options.outlines) pen.strokeRect(box.x, box.y, box.w, box.h);
    const words = String(options.first + at);
    const label = spotForLabel(box, pen.measureText(words).width + 6, 14, taken, width, height);
    taken.push(label);
    pen.fillStyle = colour;
    pen.fillRect(label.x, label.y, label.w, label.h);
    pen.fillStyle = '#fff';
    pen.fillText(words, label.x + 3, label.y + 11);
  });
}

// picture: a PNG in base64, `width` CSS pixels wide. Options: boxes, first (number), outlines, grid, type, quality.
async function annotate(picture, width, options) {
  const bitmap = await bitmapOf(picture);
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const pen = canvas.getContext('2d');
  pen.drawImage(bitmap, 0, 0);
  const scale = bitmap.width / width;
  pen.scale(scale, scale);
  pen.font = 'bold 11px sans-serif';
  if (options.grid) drawGrid(pen, width, bitmap.height / scale);
  drawBoxes(pen, options, width, bitmap.height / scale);
  bitmap.close();
  return toBase64(await canvas.convertToBlob({ type: options.type, quality: options.quality }));
}

Object.assign(globalThis.openchrome, { annotate });
