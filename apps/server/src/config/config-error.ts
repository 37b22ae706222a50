/** Invalid settings; the start ends with one line for each. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(...faults: readonly string[]) {
    super(faults.join('; '));
    this.faults = faults;
  }
}

export class Faults {
  readonly found: string[] = [];

  /** The value, or null after a {@link ConfigError}, whose faults are noted. */
  try<T>(read: () => T): T | null {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      this.found.push(...error.faults);
      return null;
    }
  }

  refuse(): void {
    if (this.found.length > 0) throw new ConfigError(...new Set(this.found));
  }
}
