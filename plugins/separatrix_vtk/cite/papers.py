"""The papers that the code is written from: one record each, with what is known for certain.

A record is as a bibliography has it. `pages` may be one number, an article's; `doi` and `arxiv` are
left out where there is none. CITATION.cff lists the same papers, in this order.
"""

from __future__ import annotations

from dataclasses import dataclass

TVCG = "IEEE Transactions on Visualization and Computer Graphics"
DCG = "Discrete & Computational Geometry"
TOG = "ACM Transactions on Graphics"
SOCG = "International Symposium on Computational Geometry (SoCG)"


@dataclass(frozen=True)
class Paper:
    """One paper. `authors`: "Given Family; Given Family". `kind`: "article", or "inproceedings"."""

    key: str
    authors: str
    title: str
    where: str
    year: int
    volume: str = ""
    issue: str = ""
    pages: str = ""
    doi: str = ""
    arxiv: str = ""
    kind: str = "article"

    @property
    def names(self) -> list[tuple[str, str]]:
        """Given and family names; a particle such as "de" belongs to the family."""
        found = []
        for author in self.authors.split("; "):
            words = author.split(" ")
            first = next((i for i, word in enumerate(words) if word in ("de", "De")), -1)
            given, family = (
                (words[:first], words[first:]) if first != -1 else (words[:-1], words[-1:])
            )
            found.append((" ".join(given), " ".join(family)))
        return found


ALL = (
    # === discrete Morse theory, persistence, fields
    Paper("Forman1998", "Robin Forman", "Morse theory for cell complexes",
          "Advances in Mathematics", 1998, "134", "1", "90-145", "10.1006/aima.1997.1650"),
    Paper("Robins2011", "Vanessa Robins; Peter John Wood; Adrian P. Sheppard",
          "Theory and algorithms for constructing discrete Morse complexes from grayscale digital "
          "images",
          "IEEE Transactions on Pattern Analysis and Machine Intelligence", 2011, "33", "8",
          "1646-1658", "10.1109/TPAMI.2011.95"),
    Paper("Subhash2020", "Varshini Subhash; Karran Pandey; Vijay Natarajan",
          "GPU parallel computation of Morse-Smale complexes", "IEEE VIS, Short Papers", 2020,
          arxiv="2009.03707", kind="inproceedings"),
    Paper("Subhash2023", "Varshini Subhash; Karran Pandey; Vijay Natarajan",
          "A GPU parallel algorithm for computing Morse-Smale complexes", TVCG, 2023, "29", "9",
          "3873-3887", arxiv="2009.03707"),
    Paper("Edelsbrunner2002",
          "Herbert Edelsbrunner; David Letscher; Afra Zomorodian",
          "Topological persistence and simplification", DCG, 2002, "28", "4", "511-533",
          "10.1007/s00454-002-2885-2"),
    Paper("Edelsbrunner2003", "Herbert Edelsbrunner; John Harer; Afra Zomorodian",
          "Hierarchical Morse-Smale complexes for piecewise linear 2-manifolds", DCG, 2003, "30",
          "1", "87-107", "10.1007/s00454-003-2926-5"),
    Paper("Guillou2023", "Pierre Guillou; Jules Vidal; Julien Tierny",
          "Discrete Morse Sandwich: fast computation of persistence diagrams for scalar data - an "
          "algorithm and a benchmark", TVCG, 2023, doi="10.1109/TVCG.2023.3238008"),
    Paper("Bauer2012", "Ulrich Bauer; Carsten Lange; Max Wardetzky",
          "Optimal topological simplification of discrete functions on surfaces", DCG, 2012, "47",
          "2", "347-377", "10.1007/s00454-011-9350-z"),
    Paper("Bauer2014", "Ulrich Bauer; Michael Kerber; Jan Reininghaus",
          "Clear and compress: computing persistent homology in chunks",
          "Topological Methods in Data Analysis and Visualization III", 2014, pages="103-117",
          doi="10.1007/978-3-319-04099-8_7", kind="inproceedings"),
    Paper("Chen2011", "Chao Chen; Michael Kerber", "Persistent homology computation with a twist",
          "European Workshop on Computational Geometry (EuroCG)", 2011, kind="inproceedings"),
    Paper("Bauer2017", "Ulrich Bauer; Michael Kerber; Jan Reininghaus; Hubert Wagner",
          "Phat - persistent homology algorithms toolbox", "Journal of Symbolic Computation", 2017,
          "78", "", "76-90", "10.1016/j.jsc.2016.03.008"),
    Paper("Morozov2020", "Dmitriy Morozov; Arnur Nigmetov",
          "Brief announcement: towards lockfree persistent homology",
          "ACM Symposium on Parallelism in Algorithms and Architectures (SPAA)", 2020,
          pages="555-557", doi="10.1145/3350755.3400244", kind="inproceedings"),
    Paper("Garbrecht1997", "Jurgen Garbrecht; Lawrence W. Martz",
          "The assignment of drainage direction over flat surfaces in raster digital elevation "
          "models",
          "Journal of Hydrology", 1997, "193", "1-4", "204-213", "10.1016/S0022-1694(96)03138-1"),
    Paper("Barnes2014", "Richard Barnes; Clarence Lehman; David Mulla",
          "An efficient assignment of drainage direction over flat surfaces in raster digital "
          "elevation models", "Computers & Geosciences", 2014, "62", "", "128-135",
          "10.1016/j.cageo.2013.01.009"),
    Paper("Banchoff1970", "Thomas F. Banchoff",
          "Critical points and curvature for embedded polyhedral surfaces",
          "The American Mathematical Monthly", 1970, "77", "5", "475-485"),
    Paper("Taubin1995", "Gabriel Taubin", "A signal processing approach to fair surface design",
          "SIGGRAPH", 1995, pages="351-358", doi="10.1145/218380.218473", kind="inproceedings"),
    # === meshes
    Paper("Weiss2011",
          "Kenneth Weiss; Riccardo Fellegara; Leila De Floriani; Marcelo Velloso",
          "The PR-star octree: a spatio-topological data structure for tetrahedral meshes",
          "ACM SIGSPATIAL International Conference on Advances in Geographic Information Systems",
          2011, pages="92-101", doi="10.1145/2093973.2093987", kind="inproceedings"),
    Paper("Liu2023", "Guoxi Liu; Federico Iuricich; Riccardo Fellegara; Leila De Floriani",
          "TopoCluster: a localized data structure for topology-based visualization", TVCG, 2023,
          "29", "2", "1506-1517", "10.1109/TVCG.2021.3121229"),
    Paper("Liu2025", "Guoxi Liu; Thomas Randall; Rong Ge; Federico Iuricich",
          "GALE: leveraging heterogeneous systems for efficient unstructured mesh data analysis",
          TVCG, 2025, doi="10.1109/TVCG.2025.3634637", arxiv="2507.15230"),
    Paper("Skilling2004", "John Skilling", "Programming the Hilbert curve",
          "AIP Conference Proceedings", 2004, "707", "", "381-387", "10.1063/1.1751381"),
    # === molecules
    Paper("Edelsbrunner1990", "Herbert Edelsbrunner; Ernst Peter Mücke",
          "Simulation of simplicity: a technique to cope with degenerate cases in geometric "
          "algorithms",
          TOG, 1990, "9", "1", "66-104", "10.1145/77635.77639"),
    Paper("Edelsbrunner1994", "Herbert Edelsbrunner; Ernst Peter Mücke",
          "Three-dimensional alpha shapes", TOG, 1994, "13", "1", "43-72", "10.1145/174462.156635"),
    Paper("Edelsbrunner1995", "Herbert Edelsbrunner", "The union of balls and its dual shape", DCG,
          1995, "13", "", "415-440", "10.1007/BF02574053"),
    Paper("Edelsbrunner1998", "Herbert Edelsbrunner; Michael Facello; Jie Liang",
          "On the definition and the construction of pockets in macromolecules",
          "Discrete Applied Mathematics", 1998, "88", "1-3", "83-102",
          "10.1016/S0166-218X(98)00067-5"),
    Paper("Koehl2023", "Patrice Koehl; Arseniy Akopyan; Herbert Edelsbrunner",
          "Computing the volume, surface area, mean, and Gaussian curvatures of molecules and "
          "their derivatives", "Journal of Chemical Information and Modeling", 2023, "63", "3",
          "973-985", "10.1021/acs.jcim.2c01346"),
    Paper("Shewchuk1997", "Jonathan Richard Shewchuk",
          "Adaptive precision floating-point arithmetic and fast robust geometric predicates", DCG,
          1997, "18", "3", "305-363", "10.1007/PL00009321"),
    Paper("Bondi1964", "Arnold Bondi", "van der Waals volumes and radii",
          "The Journal of Physical Chemistry", 1964, "68", "3", "441-451", "10.1021/j100785a001"),
    Paper("Mantina2009",
          "Manjeera Mantina; Adam C. Chamberlin; Rosendo Valero; Christopher J. Cramer; "
          "Donald G. Truhlar", "Consistent van der Waals radii for the whole main group",
          "The Journal of Physical Chemistry A", 2009, "113", "19", "5806-5812",
          "10.1021/jp8111556"),
    # === barcodes
    Paper("Bauer2021", "Ulrich Bauer",
          "Ripser: efficient computation of Vietoris-Rips persistence barcodes",
          "Journal of Applied and Computational Topology", 2021, "5", "", "391-423",
          "10.1007/s41468-021-00071-5"),
    Paper("Zhang2020", "Simon Zhang; Mengbai Xiao; Hao Wang",
          "GPU-accelerated computation of Vietoris-Rips persistence barcodes", SOCG, 2020, "164",
          "", "70:1-70:19", "10.4230/LIPIcs.SoCG.2020.70", kind="inproceedings"),
    Paper("Boissonnat2020", "Jean-Daniel Boissonnat; Siddharth Pritam",
          "Edge collapse and persistence of flag complexes", SOCG, 2020, "164", "", "19:1-19:15",
          "10.4230/LIPIcs.SoCG.2020.19", kind="inproceedings"),
    Paper("Glisse2022", "Marc Glisse; Siddharth Pritam",
          "Swap, shift and trim to edge collapse a filtration", SOCG, 2022, "224", "",
          "44:1-44:15", "10.4230/LIPIcs.SoCG.2022.44", kind="inproceedings"),
    Paper("Silva2011", "Vin de Silva; Dmitriy Morozov; Mikael Vejdemo-Johansson",
          "Dualities in persistent (co)homology", "Inverse Problems", 2011, "27", "12", "124003",
          "10.1088/0266-5611/27/12/124003"),
    Paper("Cufar2021", "Matija Čufar; Žiga Virk",
          "Fast computation of persistent homology representatives with involuted persistent "
          "homology", "arXiv preprint", 2021, arxiv="2105.03629"),
    Paper("Busaryev2012",
          "Oleksiy Busaryev; Sergio Cabello; Chao Chen; Tamal K. Dey; Yusu Wang",
          "Annotating simplices with a homology basis and its applications",
          "Scandinavian Workshop on Algorithm Theory (SWAT)", 2012, "7357", "", "189-200",
          "10.1007/978-3-642-31155-0_17", kind="inproceedings"),
    Paper("Cavanna2015", "Nicholas J. Cavanna; Mahmoodreza Jahanseir; Donald R. Sheehy",
          "A geometric perspective on sparse filtrations",
          "Canadian Conference on Computational Geometry (CCCG)", 2015, kind="inproceedings"),
    Paper("Gonzalez1985", "Teofilo F. Gonzalez",
          "Clustering to minimize the maximum intercluster distance",
          "Theoretical Computer Science", 1985, "38", "", "293-306",
          "10.1016/0304-3975(85)90224-5"),
    Paper("Anai2020",
          "Hirokazu Anai; Frédéric Chazal; Marc Glisse; Yuichi Ike; Hiroya Inakoshi; "
          "Raphaël Tinarrage; Yuhei Umeda", "DTM-based filtrations",
          "Topological Data Analysis: The Abel Symposium 2018", 2020, pages="33-66",
          doi="10.1007/978-3-030-43408-3_2", kind="inproceedings"),
    # === points
    Paper("Chazal2011", "Frédéric Chazal; David Cohen-Steiner; Quentin Mérigot",
          "Geometric inference for probability measures",
          "Foundations of Computational Mathematics", 2011, "11", "6", "733-751",
          "10.1007/s10208-011-9098-0"),
    Paper("Feydy2020",
          "Jean Feydy; Joan Alexis Glaunès; Benjamin Charlier; Michael Bronstein",
          "Fast geometric learning with symbolic matrices",
          "Advances in Neural Information Processing Systems (NeurIPS)", 2020, "33",
          kind="inproceedings"),
    Paper("Charlier2021",
          "Benjamin Charlier; Jean Feydy; Joan Alexis Glaunès; François-David Collin; "
          "Ghislain Durif",
          "Kernel operations on the GPU, with autodiff, without memory overflows",
          "Journal of Machine Learning Research", 2021, "22", "74", "1-6"),
    Paper("Wendland1995", "Holger Wendland",
          "Piecewise polynomial, positive definite and compactly supported radial functions of "
          "minimal degree", "Advances in Computational Mathematics", 1995, "4", "", "389-396",
          "10.1007/BF02123482"),
    Paper("Ogita2005", "Takeshi Ogita; Siegfried M. Rump; Shin'ichi Oishi",
          "Accurate sum and dot product", "SIAM Journal on Scientific Computing", 2005, "26", "6",
          "1955-1988", "10.1137/030601818"),
)  # fmt: skip

BY_KEY = {paper.key: paper for paper in ALL}
