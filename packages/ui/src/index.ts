export * from './icons.tsx';
export * from './parts.tsx';
