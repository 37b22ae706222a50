import type { SVGProps } from 'react';

/** Icons that only the chart needs, on the same grid as the app's. */
const chartIcon =
  (d: string) =>
  ({ size = 24, ...rest }: SVGProps<SVGSVGElement> & { readonly size?: number }) => (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.6}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      {...rest}
    >
      <path d={d} />
    </svg>
  );

export const ToolsIcon = chartIcon('M4 17.5l5-6 4 3 6.5-8M4 21h16');
export const FullIcon = chartIcon('M4.5 9V4.5H9M15 4.5h4.5V9M19.5 15v4.5H15M9 19.5H4.5V15');
export const CloseFullIcon = chartIcon('M9 4.5V9H4.5M19.5 9H15V4.5M15 19.5V15h4.5M4.5 15H9v4.5');
