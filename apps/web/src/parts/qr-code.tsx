import { useMemo } from 'react';
import { encode } from 'uqr';

/** A text as a QR code, dark on white in both themes, because scanners need that. */
export default function QrCode(props: { text: string; label: string; className?: string | undefined }) {
  const { text, label, className } = props;
  const { size, path } = useMemo(() => {
    const { data, size: modules } = encode(text, { border: 2 });
    const dots = data.flatMap((line, y) => line.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')));
    return { size: modules, path: dots.join('') };
  }, [text]);
  return (
    <svg
      className={className}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#11151b" />
    </svg>
  );
}
