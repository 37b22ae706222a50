export * from './answers.ts';
export * from './endpoints.ts';
export * from './errors.ts';
export * from './languages.ts';
export * from './stream.ts';
