import { createElement } from 'react';
import { lazyPart } from '../kit/lazy-part.tsx';

// The list comes first; what is needed to open and change a fact is loaded right after it.

export const FactDetail = lazyPart(
  () => import('./detail/fact-detail.tsx'),
  ({ FactDetail }) => FactDetail,
);
export const EditFact = lazyPart(
  () => import('./editor/open-editor.tsx'),
  ({ EditFact }) => EditFact,
);
export const NewFact = lazyPart(
  () => import('./editor/open-editor.tsx'),
  ({ NewFact }) => NewFact,
);
export const FactMerge = lazyPart(
  () => import('./editor/fact-merge.tsx'),
  ({ FactMerge }) => FactMerge,
);
export const HomePane = lazyPart(
  () => import('./home/home-pane.tsx'),
  ({ HomePane }) => HomePane,
);
/** While it loads, its room is kept: the list below must not move. */
export const HomeLine = lazyPart(
  () => import('./home/home-line.tsx'),
  ({ HomeLine }) => HomeLine,
  createElement('div', { className: 'home-line' }),
);
export const FirstMinute = lazyPart(
  () => import('./home/first-minute.tsx'),
  ({ FirstMinute }) => FirstMinute,
);
/** While it loads, its room is kept, as above. */
export const FirstSteps = lazyPart(
  () => import('./home/first-steps.tsx'),
  ({ FirstSteps }) => FirstSteps,
  createElement('div', { className: 'first-line' }),
);
export const FacetRail = lazyPart(
  () => import('./facets/facet-rail.tsx'),
  ({ FacetRail }) => FacetRail,
);
export const FacetDialog = lazyPart(
  () => import('./facets/facet-dialog.tsx'),
  ({ FacetDialog }) => FacetDialog,
);
export const SaveViewDialog = lazyPart(
  () => import('./facets/save-view-dialog.tsx'),
  ({ SaveViewDialog }) => SaveViewDialog,
);
export const ConfirmForget = lazyPart(
  () => import('./forget/confirm-forget.tsx'),
  ({ ConfirmForget }) => ConfirmForget,
);
export const BulkBar = lazyPart(
  () => import('./selection/bulk-bar.tsx'),
  ({ BulkBar }) => BulkBar,
);
