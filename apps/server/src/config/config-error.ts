/** An invalid setting; the start ends with its one-line message. */
export class ConfigError extends Error {}
