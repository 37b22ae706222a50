import { PNG } from 'pngjs';

/** A PNG that looks like a document, in pixels: a head, a photo and lines, dark on a light page. */
export function paper(width: number, height: number): Buffer {
  const picture = new PNG({ width, height });
  const box = (
    left: number,
    top: number,
    { wide, high, shade }: Record<'wide' | 'high' | 'shade', number>,
  ) => {
    for (let y = top; y < Math.min(height, top + high); y += 1)
      picture.data.fill(shade, (y * width + left) * 4, (y * width + Math.min(width, left + wide)) * 4);
  };
  const unit = Math.round(Math.min(width, height) / 12);
  box(0, 0, { wide: width, high: height, shade: 0xf2 });
  box(0, 0, { wide: width, high: unit * 2, shade: 0x7a });
  box(unit, unit * 3, { wide: unit * 3, high: unit * 4, shade: 0xc4 });
  for (let line = 0; line < 4; line += 1)
    box(unit * 5, unit * (3 + line), { wide: width - unit * (6 + (line % 3)), high: unit / 2, shade: 0x50 });
  for (let line = 8; line * unit < height - unit; line += 1)
    box(unit, unit * line, { wide: width - unit * (2 + (line % 2)), high: unit / 2, shade: 0x90 });
  for (let at = 3; at < picture.data.length; at += 4) picture.data[at] = 0xff;
  return PNG.sync.write(picture);
}
