/** A setting that can't be; its message is the one line that the start ends with. */
export class ConfigError extends Error {}
