import { amountTyped } from '@fairtick/money';

/** A year's rate in percent, exactly: "0.0125" is "1.25%". */
export function ratePercent(rate: string): string {
  const match = /^(\d+)(?:\.(\d{1,6}))?$/.exec(rate);
  if (!match) throw new Error(`${rate} is no rate`);
  const digits = (match[1] as string) + (match[2] ?? '').padEnd(6, '0');
  const whole = String(BigInt(digits.slice(0, -4)));
  return `${whole}.${digits.slice(-4).replace(/0{1,2}$/, '')}%`;
}

/** A typed percentage as the API's rate: "1.25" is "0.0125". Returns other text as it is read, for the server to refuse. */
export function rateOfPercent(typed: string): string {
  const percent = amountTyped(typed) ?? typed;
  const match = /^(\d{1,2})(?:\.(\d{1,4}))?$/.exec(percent);
  if (!match) return percent;
  const fraction = (match[1] as string).padStart(2, '0') + (match[2] ?? '');
  return `0.${fraction}`;
}
