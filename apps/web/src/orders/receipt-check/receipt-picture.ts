export interface Picture {
  readonly brand: string;
  /** Beside the brand, such as that of a demo; may be empty. */
  readonly mark: string;
  readonly title: string;
  readonly verdict: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly foot: readonly string[];
}

const WIDTH = 1080;
const EDGE = 84;
const ROW = 84;
const FACTS_FROM = 400;
const COLOURS = { ground: '#ffffff', ink: '#11151b', soft: '#48515e', line: '#e4e7eb', gold: '#b07d12' };

export async function pictureFile(name: string, picture: Picture): Promise<File> {
  const canvas = document.createElement('canvas');
  canvas.width = WIDTH;
  canvas.height = FACTS_FROM + ROW * picture.facts.length + 60 * picture.foot.length + 96;
  const drawing = canvas.getContext('2d');
  if (!drawing) throw new Error('this browser has no canvas');
  draw(drawing, picture, getComputedStyle(document.body).fontFamily);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (!blob) throw new Error('the picture could not be made');
  return new File([blob], `${name}.png`, { type: 'image/png' });
}

function draw(drawing: CanvasRenderingContext2D, picture: Picture, family: string): void {
  /** Writes a line, smaller where its room is too narrow. */
  const write = (
    text: string,
    { x, y, size, weight = 400, colour = COLOURS.ink, align = 'left', most = WIDTH - 2 * EDGE }: Line,
  ) => {
    drawing.textAlign = align;
    drawing.fillStyle = colour;
    drawing.font = `${weight} ${size}px ${family}`;
    const wide = drawing.measureText(text).width;
    if (wide > most) drawing.font = `${weight} ${Math.floor((size * most) / wide)}px ${family}`;
    drawing.fillText(text, x, y);
  };
  const right = WIDTH - EDGE;
  drawing.fillStyle = COLOURS.ground;
  drawing.fillRect(0, 0, WIDTH, drawing.canvas.height);
  write(picture.brand, { x: EDGE, y: 118, size: 40, weight: 600 });
  write(picture.mark, { x: right, y: 118, size: 34, colour: COLOURS.soft, align: 'right' });
  write(picture.title, { x: EDGE, y: 250, size: 84, weight: 600 });
  stamp(drawing, EDGE, 296);
  write(picture.verdict, { x: EDGE + 68, y: 334, size: 34, colour: COLOURS.soft, most: right - EDGE - 68 });
  let y = FACTS_FROM;
  for (const [name, value] of picture.facts) {
    drawing.fillStyle = COLOURS.line;
    drawing.fillRect(EDGE, y, right - EDGE, 2);
    write(name, { x: EDGE, y: y + 54, size: 34, colour: COLOURS.soft, most: 440 });
    write(value, { x: right, y: y + 54, size: 36, weight: 600, align: 'right', most: 450 });
    y += ROW;
  }
  for (const line of picture.foot) {
    write(line, { x: EDGE, y: y + 60, size: 28, colour: COLOURS.soft });
    y += 50;
  }
}

interface Line {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly weight?: number;
  readonly colour?: string;
  readonly align?: CanvasTextAlign;
  readonly most?: number;
}

function stamp(drawing: CanvasRenderingContext2D, x: number, y: number): void {
  drawing.save();
  drawing.translate(x, y);
  drawing.scale(2.2, 2.2);
  drawing.strokeStyle = COLOURS.gold;
  drawing.lineWidth = 1.6;
  drawing.stroke(new Path2D('M8.2 2h7.6L22 8.2v7.6L15.8 22H8.2L2 15.8V8.2zM7.4 12.3l3.2 3.2 6-6.8'));
  drawing.restore();
}
