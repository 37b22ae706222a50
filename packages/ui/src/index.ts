export * from './article.tsx';
export * from './date-input.tsx';
export * from './dialog.tsx';
export * from './fault-boundary.tsx';
export * from './field.tsx';
export * from './first-field.ts';
export * from './icons.tsx';
export * from './parts.tsx';
