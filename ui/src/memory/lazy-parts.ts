import { createElement } from 'react';
import { lazyPart } from '../kit/lazy-part.tsx';

// The list comes first; what is needed to open and change a fact is loaded right after it.

export const FactDetail = lazyPart(async () => (await import('./detail/fact-detail.tsx')).FactDetail);
export const EditFact = lazyPart(async () => (await import('./editor/open-editor.tsx')).EditFact);
export const NewFact = lazyPart(async () => (await import('./editor/open-editor.tsx')).NewFact);
export const FactMerge = lazyPart(async () => (await import('./editor/fact-merge.tsx')).FactMerge);
export const HomePane = lazyPart(async () => (await import('./home/home-pane.tsx')).HomePane);
/** While it loads, its room is kept: the list below must not move. */
export const HomeLine = lazyPart(
  async () => (await import('./home/home-line.tsx')).HomeLine,
  createElement('div', { className: 'home-line' }),
);
export const FirstMinute = lazyPart(async () => (await import('./home/first-minute.tsx')).FirstMinute);
export const FacetRail = lazyPart(async () => (await import('./facets/facet-rail.tsx')).FacetRail);
export const FacetDialog = lazyPart(async () => (await import('./facets/facet-dialog.tsx')).FacetDialog);
export const SaveViewDialog = lazyPart(
  async () => (await import('./facets/save-view-dialog.tsx')).SaveViewDialog,
);
export const ConfirmForget = lazyPart(
  async () => (await import('./forget/confirm-forget.tsx')).ConfirmForget,
);
export const BulkBar = lazyPart(async () => (await import('./selection/bulk-bar.tsx')).BulkBar);
