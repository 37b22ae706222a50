import type { SVGProps } from 'react';

export type IconProps = SVGProps<SVGSVGElement> & { readonly size?: number };

/** A line icon on a 24 px grid, drawn with the text colour. It has no meaning of its own: a label stands beside it. */
export function Icon({ size = 24, ...rest }: IconProps) {
  return (
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
    />
  );
}

/** The five icons of the tab bar, by their product names. `data-fill` parts are tinted when active. */
export const RefundIcon = (props: IconProps) => (
  <Icon {...props}>
    <circle data-fill cx="12" cy="12" r="8.5" stroke="none" />
    <path d="M4.2 8.8A8.5 8.5 0 1 1 3.5 12" />
    <path d="M3.7 4.5v4.4h4.4M9.3 8.7l2.7 3.5 2.7-3.5M12 12.2v4.5M9.7 14h4.6" />
  </Icon>
);
export const BalancePayIcon = (props: IconProps) => (
  <Icon {...props}>
    <path data-fill d="M3.5 8.6h17v8.9a2 2 0 0 1-2 2h-13a2 2 0 0 1-2-2z" stroke="none" />
    <path d="M17.5 8.6V6.1a1.8 1.8 0 0 0-2.2-1.8L5 6.7a2 2 0 0 0-1.5 1.9v8.9a2 2 0 0 0 2 2h13a2 2 0 0 0 2-2v-6.9a2 2 0 0 0-2-2z" />
    <path d="M20.5 12h-3.6a2 2 0 0 0 0 4h3.6" />
  </Icon>
);
export const ChatIcon = (props: IconProps) => (
  <Icon {...props}>
    <path
      data-fill
      d="M12 4.6c-4.7 0-8.5 3.1-8.5 7 0 2.2 1.2 4.1 3.1 5.4l-.6 3 3.3-1.7c.9.2 1.8.3 2.7.3 4.7 0 8.5-3.1 8.5-7s-3.8-7-8.5-7z"
    />
    <path d="M8.3 11.6h.01M12 11.6h.01M15.7 11.6h.01" strokeWidth={2} />
  </Icon>
);
export const FireIcon = (props: IconProps) => (
  <Icon {...props}>
    <path
      data-fill
      d="M8.6 14.4A2.4 2.4 0 0 0 11 12c0-1.4-.5-2-1-3-1-2.1-.2-4 2-5.9.5 2.4 2 4.8 4 6.4s3 3.5 3 5.4a7 7 0 1 1-14 0c0-1.1.4-2.2 1-2.9a2.5 2.5 0 0 0 2.6 2.4z"
    />
  </Icon>
);
export const ManagerIcon = (props: IconProps) => (
  <Icon {...props}>
    <circle data-fill cx="12" cy="8" r="4" />
    <path data-fill d="M4.5 20c.4-3.8 3.6-6.2 7.5-6.2s7.1 2.4 7.5 6.2z" />
  </Icon>
);

export const BackIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M14.5 5.5 8 12l6.5 6.5" />
  </Icon>
);
export const ForwardIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="m9.5 6.5 5.5 5.5-5.5 5.5" />
  </Icon>
);
export const DownIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="m6.5 9.5 5.5 5.5 5.5-5.5" />
  </Icon>
);
export const SearchIcon = (props: IconProps) => (
  <Icon {...props}>
    <circle cx="11" cy="11" r="6.5" />
    <path d="m16 16 4 4" />
  </Icon>
);
export const MoonIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M19.5 14.2A8 8 0 0 1 9.8 4.5a8 8 0 1 0 9.7 9.7z" />
  </Icon>
);
export const SunIcon = (props: IconProps) => (
  <Icon {...props}>
    <circle cx="12" cy="12" r="4" />
    <path d="M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M18.4 5.6 17 7M7 17l-1.4 1.4" />
  </Icon>
);
export const GlobeIcon = (props: IconProps) => (
  <Icon {...props}>
    <circle cx="12" cy="12" r="8.5" />
    <path d="M3.5 12h17M12 3.5c2.4 2.3 3.6 5.2 3.6 8.5s-1.2 6.2-3.6 8.5c-2.4-2.3-3.6-5.2-3.6-8.5s1.2-6.2 3.6-8.5z" />
  </Icon>
);
export const EyeIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M2.8 12S6 5.8 12 5.8 21.2 12 21.2 12 18 18.2 12 18.2 2.8 12 2.8 12z" />
    <circle cx="12" cy="12" r="2.8" />
  </Icon>
);
export const EyeOffIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M9.6 6.1A9 9 0 0 1 12 5.8c6 0 9.2 6.2 9.2 6.2a16 16 0 0 1-2.6 3.4M6.3 7.5A15.5 15.5 0 0 0 2.8 12S6 18.2 12 18.2a9 9 0 0 0 4.3-1.1" />
    <path d="M10 10a2.8 2.8 0 0 0 4 4M4 4l16 16" />
  </Icon>
);
export const FaultIcon = (props: IconProps) => (
  <Icon {...props}>
    <circle cx="12" cy="12" r="8.5" />
    <path d="M12 7.5v5.2M12 16.2h.01" />
  </Icon>
);
export const CheckIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="m5.5 12.5 4.3 4.3 8.7-9.3" />
  </Icon>
);
export const CloseIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="m6 6 12 12M18 6 6 18" />
  </Icon>
);
export const LockIcon = (props: IconProps) => (
  <Icon {...props}>
    <rect x="5" y="10.5" width="14" height="9.5" rx="2" />
    <path d="M8 10.5V8a4 4 0 0 1 8 0v2.5M12 14.5v2" />
  </Icon>
);
export const FileIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M7 3.5h7l5 5V18.5a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2v-13a2 2 0 0 1 2-2z" />
    <path d="M14 3.5v5h5" />
  </Icon>
);
export const StarIcon = (props: IconProps) => (
  <Icon {...props}>
    <path data-fill d="m12 4 2.5 5.1 5.6.8-4 4 .9 5.6-5-2.7-5 2.7.9-5.6-4-4 5.6-.8z" />
  </Icon>
);
export const ListIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M9 6.5h11M9 12h11M9 17.5h11M4.5 6.5h.01M4.5 12h.01M4.5 17.5h.01" />
  </Icon>
);
export const ResetIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M4.5 12a7.5 7.5 0 1 0 2.3-5.4L4.5 9M4.5 4.5V9H9" />
  </Icon>
);
export const CopyIcon = (props: IconProps) => (
  <Icon {...props}>
    <rect x="8.5" y="8.5" width="11" height="11" rx="2" />
    <path d="M15.5 8.5v-2a2 2 0 0 0-2-2h-7a2 2 0 0 0-2 2v7a2 2 0 0 0 2 2h2" />
  </Icon>
);
export const InboxIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M4 13.5h4.2l1.6 2.7h4.4l1.6-2.7H20M6.4 5h11.2L20.5 13v4.5a2 2 0 0 1-2 2h-13a2 2 0 0 1-2-2V13z" />
  </Icon>
);
export const HourglassIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M7 3.5h10M7 20.5h10M8 3.5c0 4.5 4 5.5 4 8.5s-4 4-4 8.5M16 3.5c0 4.5-4 5.5-4 8.5s4 4 4 8.5" />
  </Icon>
);

/** The empty octagon: brand and app icon. */
export function BrandMark({ size = 24 }: { size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={2.2}
      aria-hidden="true"
    >
      <path d="M8.2 2h7.6L22 8.2v7.6L15.8 22H8.2L2 15.8V8.2z" />
    </svg>
  );
}

/**
 * The stamp. The tick states that this device has checked a receipt or the log, so no other code may show it; before that the
 * octagon is empty.
 */
export function Stamp({ size = 18, isChecked }: { size?: number; isChecked: boolean }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke={isChecked ? 'var(--gold-mark)' : 'var(--ink-3)'}
      strokeWidth={1.5}
      aria-hidden="true"
    >
      <path d="M8.2 2h7.6L22 8.2v7.6L15.8 22H8.2L2 15.8V8.2z" />
      {isChecked && <path d="m7.4 12.3 3.2 3.2 6-6.8" strokeLinecap="square" />}
    </svg>
  );
}
