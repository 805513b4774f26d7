import { lazyPart } from '../kit/lazy-part.tsx';

// The list comes first; what is needed to open and change a fact is loaded right after it.

export const FactDetail = lazyPart(async () => (await import('./detail/fact-detail.tsx')).FactDetail);
export const FactEditor = lazyPart(async () => (await import('./editor/fact-editor.tsx')).FactEditor);
export const FactMerge = lazyPart(async () => (await import('./editor/fact-merge.tsx')).FactMerge);
export const HomePane = lazyPart(async () => (await import('./home/home-pane.tsx')).HomePane);
export const FirstMinute = lazyPart(async () => (await import('./home/first-minute.tsx')).FirstMinute);
export const FacetRail = lazyPart(async () => (await import('./facets/facet-rail.tsx')).FacetRail);
export const FacetDialog = lazyPart(async () => (await import('./facets/facet-dialog.tsx')).FacetDialog);
export const SaveViewDialog = lazyPart(
  async () => (await import('./facets/save-view-dialog.tsx')).SaveViewDialog,
);
export const BulkBar = lazyPart(async () => (await import('./selection/bulk-bar.tsx')).BulkBar);
