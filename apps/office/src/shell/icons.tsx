import { type IconProps, Icon as LineIcon } from '@fairtick/ui';

/** The line icon shared with the app, in the office's smaller size. */
const Icon = (props: IconProps) => <LineIcon size={18} {...props} />;

export const ShieldIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M12 3.5 5 6v5.5c0 4.3 2.9 7.5 7 9 4.1-1.5 7-4.7 7-9V6z" />
  </Icon>
);
export const PeopleIcon = (props: IconProps) => (
  <Icon {...props}>
    <circle cx="9" cy="8.5" r="3.5" />
    <path d="M2.8 19.5c.3-3.4 3-5.5 6.2-5.5s5.9 2.1 6.2 5.5M15.5 5.4a3.5 3.5 0 0 1 0 6.2M17.8 14.6c2 .8 3.2 2.5 3.4 4.9" />
  </Icon>
);
export const KeyIcon = (props: IconProps) => (
  <Icon {...props}>
    <circle cx="8" cy="15.5" r="4" />
    <path d="m11 12.5 8-8M16 7.5l3 3M13.5 10l2 2" />
  </Icon>
);
export const KeyboardIcon = (props: IconProps) => (
  <Icon {...props}>
    <rect x="3" y="6.5" width="18" height="11" rx="2" />
    <path d="M6.5 10h.01M10 10h.01M13.5 10h.01M17 10h.01M8 14h8" />
  </Icon>
);
export const LeaveIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M14 4.5H7a2 2 0 0 0-2 2v11a2 2 0 0 0 2 2h7M11 12h9M16.5 8.5 20 12l-3.5 3.5" />
  </Icon>
);
export const DepositIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M12 4v11M7 10.5l5 5 5-5M5 20h14" />
  </Icon>
);
export const WithdrawalIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M12 16V5M7 9.5l5-5 5 5M5 20h14" />
  </Icon>
);
export const IdentityIcon = (props: IconProps) => (
  <Icon {...props}>
    <rect x="3.5" y="5" width="17" height="14" rx="2.2" />
    <circle cx="9" cy="11" r="2" />
    <path d="M5.8 16c.5-1.6 1.7-2.3 3.2-2.3s2.7.7 3.2 2.3M14.5 10h3M14.5 13.5h3" />
  </Icon>
);
export const NewsIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M4 5.5h12v11a2 2 0 0 0 2 2H6a2 2 0 0 1-2-2z" />
    <path d="M16 9.5h4v7a2 2 0 0 1-4 0M7.5 9h5M7.5 12h5M7.5 15h3" />
  </Icon>
);
export const StatementIcon = (props: IconProps) => (
  <Icon {...props}>
    <rect x="4" y="5" width="16" height="14" rx="2" />
    <path d="M8 9.5h8M8 13h8M8 16h4" />
  </Icon>
);
export const CustomerIcon = (props: IconProps) => (
  <Icon {...props}>
    <circle cx="12" cy="8.5" r="4" />
    <path d="M4.8 20c.6-3.8 3.6-6 7.2-6s6.6 2.2 7.2 6" />
  </Icon>
);
export const ZoomInIcon = (props: IconProps) => (
  <Icon {...props}>
    <circle cx="11" cy="11" r="6.5" />
    <path d="m16 16 4 4M11 8.5v5M8.5 11h5" />
  </Icon>
);
export const ZoomOutIcon = (props: IconProps) => (
  <Icon {...props}>
    <circle cx="11" cy="11" r="6.5" />
    <path d="m16 16 4 4M8.5 11h5" />
  </Icon>
);
export const RotateIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M19.5 12a7.5 7.5 0 1 1-2.3-5.4M19.5 4v4.2h-4.2" />
  </Icon>
);
export const LedgerIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M12 4v16M7 20h10M4 8h16M6.5 8 4 14h5zM17.5 8 15 14h5z" />
  </Icon>
);
export const CorrectionIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M4 20h4.5L19 9.5a2.1 2.1 0 0 0-3-3L5.5 17zM14.5 8l3 3M13 20h7" />
  </Icon>
);
export const ChannelIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M4 7h9M17 7h3M4 17h3M11 17h9" />
    <circle cx="15" cy="7" r="2" />
    <circle cx="9" cy="17" r="2" />
  </Icon>
);
export const CatalogueIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M4 18.5 9 12l4 3.5 7-9M15.5 6.5H20V11M4 21h16" />
  </Icon>
);
export const DashboardIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M4 20V10M10 20V4M16 20v-7M21 20H3" />
  </Icon>
);
export const ChatsIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M4 6.5a2 2 0 0 1 2-2h12a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-7l-4.5 3.5v-3.5H6a2 2 0 0 1-2-2zM8 8.8h8M8 12h5" />
  </Icon>
);
export const HelpIcon = (props: IconProps) => (
  <Icon {...props}>
    <circle cx="12" cy="12" r="8.5" />
    <path d="M9.6 9.6a2.4 2.4 0 1 1 3.4 2.2c-.7.3-1 .8-1 1.5v.4M12 16.6h.01" />
  </Icon>
);
export const EarningsIcon = (props: IconProps) => (
  <Icon {...props}>
    <circle cx="7.5" cy="7.5" r="2.5" />
    <circle cx="16.5" cy="16.5" r="2.5" />
    <path d="M18.5 5.5l-13 13" />
  </Icon>
);
