"""Support vector machines: classifiers, regressors and outlier detectors with a margin."""

from gramian.svm._bounds import l1_min_c
from gramian.svm._linear_svc import LinearSVC
from gramian.svm._linear_svr import LinearSVR
from gramian.svm._nu_svc import NuSVC
from gramian.svm._one_class import OneClassSVM
from gramian.svm._svc import SVC
from gramian.svm._svr import SVR, NuSVR

__all__ = ["SVC", "SVR", "LinearSVC", "LinearSVR", "NuSVC", "NuSVR", "OneClassSVM", "l1_min_c"]
