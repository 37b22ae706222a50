/** How a picture is shown: its zoom, quarter turns and offset. */
export interface Look {
  readonly zoom: number;
  readonly turns: 0 | 1 | 2 | 3;
  /** Offset of the picture, as a share of the frame's size. */
  readonly x: number;
  readonly y: number;
}

export const WHOLE: Look = { zoom: 1, turns: 0, x: 0, y: 0 };
export const MAX_ZOOM = 8;
const STEP = 0.1;

export const zoomed = (look: Look, factor: number): Look =>
  bounded({ ...look, zoom: Math.min(MAX_ZOOM, Math.max(1, look.zoom * factor)) });

export const turned = (look: Look, by: 1 | -1): Look => ({
  ...WHOLE,
  zoom: look.zoom,
  turns: ((look.turns + by + 4) % 4) as Look['turns'],
});

/** Moves by shares of the frame's width and height. */
export const moved = (look: Look, x: number, y: number): Look =>
  bounded({ ...look, x: look.x + x, y: look.y + y });

/** Keeps the picture's edges outside the frame's, so that the picture can't be moved out of view. */
function bounded({ zoom, turns, x, y }: Look): Look {
  const most = (zoom - 1) / 2;
  const within = (value: number) => Math.min(most, Math.max(-most, value));
  return { zoom, turns, x: within(x), y: within(y) };
}

/** The look after a key was pressed; null if the key does nothing. */
export function keyed(look: Look, key: string): Look | null {
  switch (key) {
    case '+':
    case '=':
      return zoomed(look, 1.5);
    case '-':
      return zoomed(look, 1 / 1.5);
    case '0':
      return WHOLE;
    case 'r':
      return turned(look, 1);
    case 'R':
      return turned(look, -1);
    case 'ArrowLeft':
      return moved(look, STEP, 0);
    case 'ArrowRight':
      return moved(look, -STEP, 0);
    case 'ArrowUp':
      return moved(look, 0, STEP);
    case 'ArrowDown':
      return moved(look, 0, -STEP);
    default:
      return null;
  }
}

/** Factor by which a picture turned by 90° or 270° must be scaled to fit into the frame again. */
export function fitOf(
  { turns }: Look,
  frame: { width: number; height: number },
  picture: typeof frame,
): number {
  if (turns % 2 === 0 || picture.width === 0 || picture.height === 0) return 1;
  const upright = Math.min(frame.width / picture.width, frame.height / picture.height);
  const sideways = Math.min(frame.width / picture.height, frame.height / picture.width);
  return sideways / upright;
}
