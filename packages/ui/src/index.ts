export * from './article.tsx';
export * from './icons.tsx';
export * from './parts.tsx';
