import { generate } from 'otplib';

const STEP_MS = 30_000;
/**
 * The code `steps` steps from now. A test uses the current step's code first and then the next one's: both stay valid if a step
 * ends in between.
 */
export const codeOf = (secret: string, steps = 0) =>
  generate({ secret, epoch: Math.floor((Date.now() + steps * STEP_MS) / 1000) });

/** A code that is wrong now and in the neighbouring steps. */
export async function wrongCode(secret: string): Promise<string> {
  const right = await Promise.all([-2, -1, 0, 1, 2, 3].map((steps) => codeOf(secret, steps)));
  return ['111111', '222222', '333333', '444444', '555555', '666666'].find(
    (code) => !right.includes(code),
  ) as string;
}
