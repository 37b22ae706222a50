export * from './article.tsx';
export * from './date-input.tsx';
export * from './icons.tsx';
export * from './parts.tsx';
