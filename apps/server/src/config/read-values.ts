import { ConfigError } from './config-error.ts';

export type Env = Readonly<Record<string, string | undefined>>;

export function readInteger(
  env: Env,
  name: string,
  { fallback, min, max }: { fallback: number; min: number; max: number },
): number {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  if (!/^\d{1,9}$/.test(text) || Number(text) < min || Number(text) > max) {
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not "${text}"`);
  }
  return Number(text);
}

export function readChoice<T extends string>(env: Env, name: string, choices: readonly T[], fallback: T): T {
  const text = env[name] || fallback;
  if (!choices.includes(text as T)) {
    throw new ConfigError(`${name} must be one of ${choices.join(', ')}, not "${text}"`);
  }
  return text as T;
}
