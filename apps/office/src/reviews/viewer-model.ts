import { beginningOf, type Size } from '@fairtick/protocol/picture';

/** How a picture is shown: its zoom, quarter turns and offset. */
export interface Look {
  readonly zoom: number;
  readonly turns: 0 | 1 | 2 | 3;
  /** Offset of the picture, as a share of the frame's size. */
  readonly x: number;
  readonly y: number;
  /** The share of the frame's width and height that the whole picture fills, upright and turned by a quarter. */
  readonly fills: readonly [Size, Size];
  /** Much longer than any screen: a long screenshot, or a panorama. It is read in parts. */
  readonly isLong: boolean;
}

const FULL = { width: 1, height: 1 };
export const WHOLE: Look = { zoom: 1, turns: 0, x: 0, y: 0, fills: [FULL, FULL], isLong: false };
export const MAX_ZOOM = 8;
const STEP = 0.1;

const fillOf = (look: Look): Size => look.fills[look.turns % 2 === 0 ? 0 : 1];
const leastOf = ({ width, height }: Size): number => Math.min(width, height);

export const zoomed = (look: Look, factor: number): Look => {
  const most = look.isLong ? MAX_ZOOM / leastOf(fillOf(look)) : MAX_ZOOM;
  return bounded({ ...look, zoom: Math.min(most, Math.max(1, look.zoom * factor)) });
};

export const whole = (look: Look): Look => ({ ...look, zoom: 1, turns: 0, x: 0, y: 0 });

/** Shows a long picture for reading: its short side fills the frame, and its beginning is in sight. */
export const reading = (look: Look): Look =>
  bounded({
    ...look,
    zoom: 1 / leastOf(fillOf(look)),
    x: Number.POSITIVE_INFINITY,
    y: Number.POSITIVE_INFINITY,
  });

export const isLong = (picture: Size): boolean => {
  const { width, height } = beginningOf(picture);
  return width < picture.width || height < picture.height;
};

/** The look of a picture when it is loaded: the whole, or the beginning of a long one. */
export function opened(frame: Size, picture: Size): Look {
  const fill = ({ width, height }: Size): Size => {
    const scale = Math.min(frame.width / width, frame.height / height);
    return { width: (width * scale) / frame.width, height: (height * scale) / frame.height };
  };
  const sideways = { width: picture.height, height: picture.width };
  const look = { ...WHOLE, fills: [fill(picture), fill(sideways)] as const, isLong: isLong(picture) };
  return look.isLong ? reading(look) : look;
}

export const turned = (look: Look, by: 1 | -1): Look => ({
  ...look,
  x: 0,
  y: 0,
  turns: ((look.turns + by + 4) % 4) as Look['turns'],
});

/** Moves by shares of the frame's width and height. */
export const moved = (look: Look, x: number, y: number): Look =>
  bounded({ ...look, x: look.x + x, y: look.y + y });

/** Keeps the picture's edges outside the frame's, so that the picture can't be moved out of view. */
function bounded(look: Look): Look {
  const fill = fillOf(look);
  const within = (value: number, share: number) => {
    const most = Math.max(0, (look.zoom * share - 1) / 2);
    return Math.min(most, Math.max(-most, value));
  };
  return { ...look, x: within(look.x, fill.width), y: within(look.y, fill.height) };
}

const KEYS: Readonly<Record<string, (look: Look) => Look>> = {
  '+': (look) => zoomed(look, 1.5),
  '=': (look) => zoomed(look, 1.5),
  '-': (look) => zoomed(look, 1 / 1.5),
  '0': whole,
  r: (look) => turned(look, 1),
  R: (look) => turned(look, -1),
  ArrowLeft: (look) => moved(look, STEP, 0),
  ArrowRight: (look) => moved(look, -STEP, 0),
  ArrowUp: (look) => moved(look, 0, STEP),
  ArrowDown: (look) => moved(look, 0, -STEP),
};
/** Keys that move along a long picture, by nearly a frame or to an end. */
const PAGES: Readonly<Record<string, number>> = {
  PageUp: 0.9,
  PageDown: -0.9,
  Home: Number.POSITIVE_INFINITY,
  End: Number.NEGATIVE_INFINITY,
};

/** The look after a key was pressed; null if the key does nothing. */
export function keyed(look: Look, key: string): Look | null {
  const by = look.isLong ? PAGES[key] : undefined;
  return by === undefined ? (KEYS[key]?.(look) ?? null) : moved(look, by, by);
}

/** Factor by which a picture turned by 90° or 270° must be scaled to fit into the frame again. */
export function fitOf({ turns }: Look, frame: Size, picture: Size): number {
  if (turns % 2 === 0 || picture.width === 0 || picture.height === 0) return 1;
  const upright = Math.min(frame.width / picture.width, frame.height / picture.height);
  const sideways = Math.min(frame.width / picture.height, frame.height / picture.width);
  return sideways / upright;
}
