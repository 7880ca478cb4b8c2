"""The CDP methods that a program may call on a tab: those that concern that tab alone. Pure.

Methods that are not listed are refused. These domains leave out what has wider effects: V8's heap,
profiler and pauses affect a process that tabs share; files, downloads and certificates have their
own rules; a stopped clock or a frozen page would stop the session's agent, too.
"""

_LISTED = {
    "Accessibility": "disable enable getPartialAXTree getFullAXTree getRootAXNode "
    "getAXNodeAndAncestors getChildAXNodes queryAXTree",
    "Animation": "disable enable getCurrentTime getPlaybackRate releaseAnimations "
    "resolveAnimation seekAnimations setPaused setPlaybackRate setTiming",
    "Audits": "checkFormsIssues disable enable getEncodedResponse",
    "CSS": "addRule collectClassNames createStyleSheet disable enable forcePseudoState "
    "getBackgroundColors getComputedStyleForNode getInlineStylesForNode getMatchedStylesForNode "
    "getMediaQueries getPlatformFontsForNode getStyleSheetText setMediaText setRuleSelector "
    "setStyleSheetText setStyleTexts startRuleUsageTracking stopRuleUsageTracking "
    "takeCoverageDelta",
    "Console": "clearMessages disable enable",
    "DOM": "copyTo describeNode scrollIntoViewIfNeeded disable discardSearchResults enable focus "
    "getAttributes getBoxModel getContentQuads getDocument getFlattenedDocument "
    "getNodesForSubtreeByStyle getNodeForLocation getOuterHTML getRelayoutBoundary "
    "getSearchResults hideHighlight highlightNode highlightRect markUndoableState moveTo "
    "performSearch pushNodeByPathToFrontend pushNodesByBackendIdsToFrontend querySelector "
    "querySelectorAll getTopLayerElements redo removeAttribute removeNode requestChildNodes "
    "requestNode resolveNode setAttributeValue setAttributesAsText setFileInputFiles "
    "setInspectedNode setNodeName setNodeValue setOuterHTML undo getFrameOwner "
    "getContainerForNode getAnchorElement",
    "DOMDebugger": "getEventListeners",
    "DOMSnapshot": "captureSnapshot disable enable getSnapshot",
    "Debugger": "disable enable getScriptSource searchInContent setAsyncCallStackDepth "
    "setBlackboxExecutionContexts setBlackboxPatterns setBlackboxedRanges setSkipAllPauses",
    "DeviceOrientation": "clearDeviceOrientationOverride setDeviceOrientationOverride",
    "Emulation": "canEmulate clearDeviceMetricsOverride clearGeolocationOverride clearIdleOverride "
    "resetPageScaleFactor setAutoDarkModeOverride setAutomationOverride setCPUThrottlingRate "
    "setDefaultBackgroundColorOverride setDeviceMetricsOverride setDocumentCookieDisabled "
    "setEmitTouchEventsForMouse setEmulatedMedia setEmulatedVisionDeficiency "
    "setFocusEmulationEnabled setGeolocationOverride setHardwareConcurrencyOverride "
    "setIdleOverride setLocaleOverride setNavigatorOverrides setPageScaleFactor "
    "setSafeAreaInsetsOverride setScriptExecutionDisabled setScrollbarsHidden setTimezoneOverride "
    "setTouchEmulationEnabled setUserAgentOverride setVisibleSize",
    "Fetch": "disable enable failRequest fulfillRequest continueRequest continueWithAuth "
    "continueResponse getResponseBody takeResponseBodyAsStream",
    "IO": "close read resolveBlob",
    "Input": "cancelDragging dispatchDragEvent dispatchKeyEvent dispatchMouseEvent "
    "dispatchTouchEvent emulateTouchFromMouseEvent imeSetComposition insertText "
    "setIgnoreInputEvents setInterceptDrags synthesizePinchGesture synthesizeScrollGesture "
    "synthesizeTapGesture",
    "Inspector": "disable enable",
    "Log": "clear disable enable startViolationsReport stopViolationsReport",
    "Network": "canEmulateNetworkConditions continueInterceptedRequest deleteCookies disable "
    "emulateNetworkConditions emulateNetworkConditionsByRule enable getAllCookies getCookies "
    "getRequestPostData getResponseBody getResponseBodyForInterception "
    "getSecurityIsolationStatus overrideNetworkState replayXHR searchInResponseBody "
    "setAcceptedEncodings setAttachDebugStack setBlockedURLs setBypassServiceWorker "
    "setCacheDisabled setCookie setCookies setExtraHTTPHeaders setRequestInterception "
    "setUserAgentOverride streamResourceContent",
    "Overlay": "disable enable hideHighlight highlightNode highlightQuad highlightRect "
    "setInspectMode setShowGridOverlays setShowPaintRects setShowViewportSizeOnResize",
    "Page": "addScriptToEvaluateOnLoad addScriptToEvaluateOnNewDocument bringToFront "
    "captureScreenshot captureSnapshot close createIsolatedWorld disable enable getAppManifest "
    "getFrameTree getLayoutMetrics getNavigationHistory getPermissionsPolicyState "
    "getResourceContent getResourceTree handleJavaScriptDialog navigate navigateToHistoryEntry "
    "printToPDF reload removeScriptToEvaluateOnLoad removeScriptToEvaluateOnNewDocument "
    "resetNavigationHistory screencastFrameAck searchInResource setBypassCSP setDocumentContent "
    "setFontFamilies setFontSizes setInterceptFileChooserDialog setLifecycleEventsEnabled "
    "setPrerenderingAllowed startScreencast stopLoading stopScreencast",
    "Performance": "disable enable getMetrics setTimeDomain",
    "PerformanceTimeline": "enable",
    "Runtime": "addBinding awaitPromise callFunctionOn compileScript disable "
    "discardConsoleEntries enable evaluate getExceptionDetails getHeapUsage getIsolateId "
    "getProperties globalLexicalScopeNames queryObjects releaseObject releaseObjectGroup "
    "removeBinding runIfWaitingForDebugger runScript setAsyncCallStackDepth "
    "setCustomObjectFormatterEnabled setMaxCallStackSizeToCapture",
    "Security": "disable enable setIgnoreCertificateErrors",
}

ALLOWED = frozenset(
    f"{domain}.{name}" for domain, names in _LISTED.items() for name in names.split()
)

# Allowed on a tab that a person holds: it reads, or the page that the person uses needs it.
_READING_DOMAINS = frozenset(
    ("Accessibility", "Audits", "Console", "DOMDebugger", "DOMSnapshot", "Debugger", "Fetch", "IO",
     "Inspector", "Log", "Performance", "PerformanceTimeline", "Security")
)  # fmt: skip
_READING_WORDS = (
    "can", "capture", "collect", "describe", "disable", "discard", "enable", "get", "global",
    "perform", "query", "release", "request", "resolve", "search", "take",
)  # fmt: skip
_READING = frozenset(
    ("Network.streamResourceContent", "Page.createIsolatedWorld", "Page.printToPDF",
     "Page.screencastFrameAck", "Page.setLifecycleEventsEnabled", "Page.startScreencast",
     "Page.stopScreencast", "Runtime.addBinding", "Runtime.removeBinding",
     "Runtime.runIfWaitingForDebugger")
)  # fmt: skip


def _is_acting(method: str) -> bool:
    domain, _, name = method.partition(".")
    reads = domain in _READING_DOMAINS or name.startswith(_READING_WORDS) or method in _READING
    return not reads


ACTING = frozenset(filter(_is_acting, ALLOWED))

# What hands out the page's text: the session is tainted with its origin.
READING_TEXT = frozenset(
    method
    for method in ALLOWED
    if method.startswith(("Accessibility.", "DOM.", "DOMSnapshot.", "Page.capture", "Page.print"))
    or method.endswith((".getResponseBody", ".getResourceContent", ".streamResourceContent"))
    or method in ("Runtime.evaluate", "Runtime.callFunctionOn", "Runtime.getProperties", "IO.read")
)
